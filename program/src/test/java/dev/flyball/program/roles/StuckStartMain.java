package dev.flyball.program.roles;

import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Service;
import dev.flyball.program.terminal.Exit;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A program whose start never ends, with a stop limit of half a second. */
final class StuckStartMain {
  private StuckStartMain() {}

  public static void main(String[] args) {
    var stuck =
        new Service() {
          @Override
          public void start() {
            System.out.println("starting");
            new CompletableFuture<Void>().join();
          }

          @Override
          public void stop() {}

          @Override
          public Health health() {
            throw new IllegalStateException("asked before it has started");
          }
        };
    Duration grace = Duration.ofMillis(500).minus(StopLimit.forLadder(Duration.ZERO));
    var _ =
        new ServiceRun(
                stuck,
                Signals.caught(),
                new CompletableFuture<>(),
                Exit.UNHEALTHY,
                Duration.ZERO,
                grace)
            .untilEnded(() -> {}, () -> {});
  }
}
