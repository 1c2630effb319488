package dev.flyball.standalone.role;

import dev.flyball.standalone.terminal.Exit;
import java.time.Duration;

/**
 * Ends this process when stopping takes too long, for example because the Kafka that everyone waits
 * for is gone. Deadmen outside this JVM end what agents are left.
 */
public final class StopLimit implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(14);

  private final Thread guard;

  private StopLimit(Thread guard) {
    this.guard = guard;
  }

  /**
   * Begins to count.
   *
   * @param code what the process exits with
   * @param lastWords said right before; quick, and nothing that may wait
   */
  public static StopLimit begin(Exit code, Runnable lastWords) {
    return new StopLimit(
        Thread.ofPlatform().daemon().name("stop-limit").start(() -> guard(code, lastWords)));
  }

  /** Everything stopped in time. */
  @Override
  public void close() {
    guard.interrupt();
  }

  private static void guard(Exit code, Runnable lastWords) {
    try {
      Thread.sleep(LIMIT);
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
