package dev.flyball.runner.events;

import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.session.OutputChunk;
import java.util.concurrent.CompletableFuture;

/**
 * Where events and output go. No method blocks: a session's thread must never wait for a broker.
 */
public interface EventSink {

  /**
   * Says something that has to arrive; completes once the broker has acknowledged it, and
   * exceptionally if it gave up: with {@link RecordRefused} if the same record is never taken.
   */
  CompletableFuture<Void> publish(LifecycleEvent event);

  /** Says something that may be lost: progress. It is dropped if the queue is long. */
  void offer(LifecycleEvent event);

  /** Some lines of output; dropped if the queue is long, which the result says. */
  boolean offer(String session, OutputChunk chunk);
}
