package dev.flyball.runner.execution;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.session.Timings;
import dev.flyball.runner.process.ContainedProcess.KillLadder;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs each session on a platform thread of its own. */
public final class SessionThreads {
  private static final Logger log = LoggerFactory.getLogger(SessionThreads.class);

  private static final Duration AGAIN = Duration.ofMillis(200);
  private static final Duration VERIFY = Duration.ofSeconds(2);

  private final ExecutionSeams seams;

  /** With what sessions work with. */
  public SessionThreads(ExecutionSeams seams) {
    this.seams = seams;
  }

  /** Starts one. */
  public void start(SessionHandle handle) {
    String name = "session-" + handle.assignment().session().substring(0, 8);
    Thread.ofPlatform().daemon().name(name).start(() -> run(handle));
  }

  private void run(SessionHandle handle) {
    Assignment job = handle.assignment();
    try {
      log.info("session {} for {} attempt {}", job.session(), job.item(), job.request().attempt());
      SessionExecution done = SessionExecution.of(handle, new ExecutionSteps(seams)).run();
      log.info(
          "session {} ended {}: {}",
          job.session(),
          done.outcome().outcome().label(),
          done.outcome().reason());
    } catch (InterruptedException e) {
      log.debug("session {} left to the sweep", job.session());
    } catch (Throwable e) {
      // Errors too (no thread or memory left): with this thread every clock of the session would
      // stop,
      // while its lease went on being renewed.
      log.error("session {} failed in the runner itself", job.session(), e);
      abandon(handle, "runner error: " + e);
    }
  }

  /** The tree must die and the lease must end whatever went wrong here. */
  private void abandon(SessionHandle handle, String reason) {
    try {
      while (!ended(handle)) {
        Thread.sleep(AGAIN);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    }
    seams
        .lease()
        .dead(
            new LedgerEntry.Release(
                handle.assignment().session(),
                Outcome.FAILED,
                reason,
                new Failure(Failure.Kind.TRANSIENT, "runner-fault"),
                null,
                null,
                Timings.ZERO,
                handle.usage().tokens(),
                cost(handle),
                Receipt.unknown()));
  }

  /** What it had not reported when its thread failed is not known any more. */
  private static long cost(SessionHandle handle) {
    long reported = handle.usage().costMicros();
    boolean unknown = reported == 0 && handle.live().isPresent();
    return unknown ? handle.assignment().reserveMicros() : reported;
  }

  /** Whether nothing of its tree is left; false if that could not be found out now. */
  private boolean ended(SessionHandle handle) throws InterruptedException {
    Optional<LiveSession> live = handle.live();
    if (live.isEmpty()) {
      return true;
    }
    try {
      var _ = new TreeEnd(seams).end(handle, live.get(), KillLadder.now(VERIFY));
      return true;
    } catch (RuntimeException | Error e) {
      log.warn("session {} cannot be ended yet", handle.assignment().session(), e);
      return false;
    }
  }
}
