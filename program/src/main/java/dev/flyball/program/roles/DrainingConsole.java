package dev.flyball.program.roles;

import dev.flyball.ops.console.ConsoleApp;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Service;
import java.time.Duration;

/**
 * A console that reads the last events of the other services before it stops, so that {@code items}
 * and {@code analysis} answer completely after the process ended. It stops after them, and before
 * the broker.
 */
public final class DrainingConsole implements Service {
  private static final Duration LIMIT = Duration.ofSeconds(3);

  private final ConsoleApp console;

  /** Wraps a console that is not started. */
  public DrainingConsole(ConsoleApp console) {
    this.console = console;
  }

  @Override
  public void start() {
    console.start();
  }

  @Override
  public void stop() {
    var _ = console.catchUp(LIMIT);
    console.stop();
  }

  @Override
  public Health health() {
    return console.health();
  }
}
