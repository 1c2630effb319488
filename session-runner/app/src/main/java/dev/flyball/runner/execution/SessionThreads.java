package dev.flyball.runner.execution;

import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.session.Timings;
import dev.flyball.runner.agent.AgentReader.Reported;
import dev.flyball.runner.agent.AgentSignal;
import dev.flyball.runner.session.EndCause;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs each session on a separate platform thread. */
public final class SessionThreads {
  private static final Logger log = LoggerFactory.getLogger(SessionThreads.class);

  /** The beginning of the reason of a session that failed in the runner and not in its agent. */
  static final String ERROR = "runner error: ";

  private static final Duration AGAIN = Duration.ofMillis(200);
  private static final Duration VERIFY = Duration.ofSeconds(2);

  private final ExecutionSteps steps;

  /** Creates the threads of sessions that take these steps. */
  public SessionThreads(ExecutionSteps steps) {
    this.steps = steps;
  }

  /** Starts a session. */
  public void start(SessionHandle handle) {
    String name = "session-" + handle.session().substring(0, 8);
    Thread.ofPlatform().daemon().name(name).start(() -> run(handle));
  }

  private void run(SessionHandle handle) {
    try {
      var _ = SessionExecution.of(handle, steps).run();
    } catch (InterruptedException e) {
      log.debug("session interrupted, the sweep ends it: session={}", handle.session());
    } catch (Throwable e) {
      // Errors too (no thread or memory left): if this thread ended, every clock of the session
      // would stop, while its lease was still renewed.
      log.error("session failed in the runner: session={}", handle.session(), e);
      abandon(handle, ERROR + e);
    }
  }

  /**
   * Ends a session after a failure of the runner, in the same order as at any end: the tree dies,
   * the lease ends, the workplace is given back, the row is closed.
   */
  private void abandon(SessionHandle handle, String reason) {
    try {
      while (!ended(handle)) {
        Thread.sleep(AGAIN);
      }
      steps.release(handle, release(handle, reason));
      handle.leave();
      steps.close(handle);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      // The row stays; the next start finds nothing alive for it and removes it.
      log.warn("session not closed: session={}", handle.session(), e);
    }
  }

  /** A session of which nothing was started uses none of its item's attempts. */
  private LedgerEntry.Release release(SessionHandle handle, String reason) {
    boolean ran = handle.mayHaveRun();
    return new LedgerEntry.Release(
        handle.session(),
        ran ? Outcome.FAILED : Outcome.INTERRUPTED,
        reason,
        ran ? EndCause.Broken.FAILURE : null,
        null,
        null,
        Timings.ZERO,
        handle.usage().tokens(),
        cost(handle),
        ran ? Receipt.unknown() : Receipt.notStarted());
  }

  /**
   * The cost to book. What the session had not reported when its thread failed is unknown: it is at
   * least its whole reserve.
   */
  private long cost(SessionHandle handle) {
    var used = new AgentSignal.Usage(0, 0, handle.usage().tokens(), handle.usage().costMicros());
    return handle.mayHaveRun()
        ? steps.booked(used, handle.lease().reserve(), Reported.IN_PART, false).costMicros()
        : used.costMicros();
  }

  /** Whether nothing of its tree is left; false if that cannot be decided now. */
  private boolean ended(SessionHandle handle) throws InterruptedException {
    Optional<LiveSession> live = handle.live();
    if (live.isEmpty()) {
      return true;
    }
    try {
      var _ = steps.tree().end(handle, live.get(), KillLadder.now(VERIFY));
      return true;
    } catch (RuntimeException | Error e) {
      log.warn("session cannot be ended yet: session={}", handle.session(), e);
      return false;
    }
  }
}
