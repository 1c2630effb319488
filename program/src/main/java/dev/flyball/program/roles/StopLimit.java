package dev.flyball.program.roles;

import dev.flyball.program.terminal.Exit;
import java.time.Duration;

/**
 * Ends this process when stopping takes too long, for example because Kafka no longer answers.
 * Deadmen outside this JVM end the remaining agents. A drain is not included: it has a limit that a
 * person configured.
 */
public final class StopLimit implements AutoCloseable {
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
   * @param lastWords runs right before the exit; must be quick and must not wait
   */
  public static StopLimit begin(Duration limit, Exit code, Runnable lastWords) {
    return new StopLimit(
        Thread.ofPlatform().daemon().name("stop-limit").start(() -> guard(limit, code, lastWords)));
  }

  /** Cancels the limit: everything stopped in time. */
  @Override
  public void close() {
    guard.interrupt();
  }

  private static void guard(Duration limit, Exit code, Runnable lastWords) {
    try {
      Thread.sleep(limit);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      return;
    }
    // The halt is inside: of two limits that pass at the same time, one speaks.
    synchronized (StopLimit.class) {
      try {
        lastWords.run();
      } finally {
        Runtime.getRuntime().halt(code.code());
      }
    }
  }
}
