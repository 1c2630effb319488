package dev.flyball.runner.execution;

import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Outcome;
import dev.flyball.runner.events.EventSink;
import dev.flyball.runner.events.RecordRejected;
import dev.flyball.runner.session.SessionEnd;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes a session's result before its lease is released, because the terminal event follows the
 * release and includes the result. Returns how the session ends.
 *
 * <p>A session whose result the broker never accepts has failed: run again without an attempt used
 * up, it would end the same way and cost money without end.
 */
record ResultReport(EventSink sink, Sessions.Ledger lease) {
  private static final Logger log = LoggerFactory.getLogger(ResultReport.class);

  /** Largest result sent, in bytes; any Kafka takes a record of this size. */
  static final int MOST = 256 * 1024;

  private static final Failure REFUSED = new Failure(Failure.Kind.TRANSIENT, "result-refused");

  /**
   * Sends the result and waits for a lease at most; returns how the session ends with it, or
   * without it. A rejected result is sent again until then, since topics can be altered.
   */
  SessionEnd of(SessionEnd end, LifecycleEvent event) throws InterruptedException {
    CompletableFuture<Void> acknowledged = sink.publish(event);
    long until = lease.nowNanos() + lease.patience().toNanos();
    boolean refused = false;
    while (lease.nowNanos() < until) {
      try {
        acknowledged.get(200, TimeUnit.MILLISECONDS);
        return end;
      } catch (ExecutionException e) {
        log.warn("result not acknowledged, sending it again: event={}", event.id());
        refused = e.getCause() instanceof RecordRejected;
        Thread.sleep(200);
        acknowledged = sink.publish(event);
      } catch (TimeoutException e) {
        log.debug("waiting for the acknowledgement of a result: event={}", event.id());
      }
    }
    return refused
        ? without(end, REFUSED, "the broker refuses its result")
        : without(end, null, "its result was not acknowledged");
  }

  /** A session may not end as completed unless its answer is published. */
  private static SessionEnd without(SessionEnd end, @Nullable Failure failure, String why) {
    return end.outcome() == Outcome.COMPLETED
        ? new SessionEnd(failure == null ? Outcome.INTERRUPTED : Outcome.FAILED, failure, why)
        : end;
  }
}
