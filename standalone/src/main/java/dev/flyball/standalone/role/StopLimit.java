package dev.flyball.standalone.role;

import dev.flyball.standalone.terminal.Exit;
import java.time.Duration;

/**
 * Ends this process when stopping takes too long, for example because the Kafka that everyone waits
 * for is gone. Deadmen outside this JVM end what agents are left. A drain is no part of it: it has
 * a limit that a person chose.
 */
public final class StopLimit implements AutoCloseable {
  /** Where sessions end by the default kill ladder; a service manager waits 15 s or longer. */
  public static final Duration DEFAULT = Duration.ofSeconds(14);

  /** For all that a stop does besides the kill ladder: last events, releases, the broker. */
  private static final Duration MARGIN = Duration.ofSeconds(9);

  private final Thread guard;

  private StopLimit(Thread guard) {
    this.guard = guard;
  }

  /** How long a stop may take that ends sessions with this time from TERM to KILL. */
  public static Duration forLadder(Duration grace) {
    return grace.plus(MARGIN);
  }

  /**
   * Begins to count.
   *
   * @param limit from now on
   * @param code what the process exits with
   * @param lastWords said right before; quick, and nothing that may wait
   */
  public static StopLimit begin(Duration limit, Exit code, Runnable lastWords) {
    return new StopLimit(
        Thread.ofPlatform().daemon().name("stop-limit").start(() -> guard(limit, code, lastWords)));
  }

  /** Everything stopped in time. */
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
    try {
      lastWords.run();
    } finally {
      Runtime.getRuntime().halt(code.code());
    }
  }
}
