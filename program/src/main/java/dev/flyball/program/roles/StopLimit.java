package dev.flyball.program.roles;

import dev.flyball.program.terminal.Exit;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Ends this process when stopping takes too long, for example because Kafka no longer answers.
 * Deadmen outside this JVM end the remaining agents. A drain is not included: it has a limit that a
 * person configured.
 */
public final class StopLimit implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(StopLimit.class);

  /** The limit with the default kill ladder; a service manager waits 15 s or longer. */
  public static final Duration DEFAULT = Duration.ofSeconds(14);

  /** Time for all that a stop does besides the kill ladder: last events, releases, the broker. */
  private static final Duration MARGIN = Duration.ofSeconds(9);

  private final Thread guard;

  private StopLimit(Thread guard) {
    this.guard = guard;
  }

  /** How long a stop may take if this is the time from TERM to KILL of its sessions. */
  public static Duration forLadder(Duration grace) {
    return grace.plus(MARGIN);
  }

  /**
   * Starts the time limit.
   *
   * @param limit from now on
   * @param code what the process exits with
   * @param words how loud it is said that the process ends
   */
  public static StopLimit begin(Duration limit, Exit code, Level words) {
    return new StopLimit(
        Thread.ofPlatform().daemon().name("stop-limit").start(() -> guard(limit, code, words)));
  }

  /** Cancels the limit: everything stopped in time. */
  @Override
  public void close() {
    guard.interrupt();
  }

  private static void guard(Duration limit, Exit code, Level words) {
    try {
      Thread.sleep(limit);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      return;
    }
    // The halt is inside: of two limits that pass at the same time, one speaks.
    synchronized (StopLimit.class) {
      try {
        LOG.atLevel(words).log("did not stop in time; leaving");
      } finally {
        Runtime.getRuntime().halt(code.code());
      }
    }
  }
}
