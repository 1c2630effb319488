package dev.flyball.program.roles;

import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.Service;
import dev.flyball.program.terminal.Exit;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a service until a signal or a fatal fault ends it: calls {@code ready} when it is ready, and
 * stops it in bounded time.
 *
 * @param service what runs
 * @param signals of this process
 * @param fault completes with one line on a fault that waiting does not fix
 * @param drain how long the service may let sessions go on when it stops
 * @param grace from TERM to KILL of what it ends then
 */
public record ServiceRun(
    Service service,
    Signals signals,
    CompletableFuture<String> fault,
    Duration drain,
    Duration grace) {
  private static final Logger LOG = LoggerFactory.getLogger(ServiceRun.class);
  private static final long LOOK_MS = 50;

  /**
   * Runs the service, and stops it before it returns.
   *
   * @param ready called once, when the service is ready
   * @return the signal that ended it: INT, TERM or HUP; empty after a fault
   */
  public Optional<String> untilEnded(Runnable ready) {
    // After a fault, start and stop may wait for something that never comes.
    var _ =
        fault.thenRun(() -> {
          var _ =
              StopLimit.begin(
                  StopLimit.forLadder(grace),
                  Exit.UNHEALTHY,
                  () -> LOG.warn("did not stop in time; leaving"));
        });
    // Counts from the signal, not from the end of the start: a start may wait for minutes.
    var limited = signals.first().thenApply(name -> limit(drain));
    var ended = CompletableFuture.anyOf(signals.first(), fault);
    boolean told = false;
    Supplier<Health> health = service::health;
    try {
      service.start();
      while (!ended.isDone()) {
        if (!told && health.get().ready()) {
          told = true;
          ready.run();
        }
        waitFor(ended, told ? TimeUnit.HOURS.toMillis(1) : LOOK_MS);
      }
    } catch (RuntimeException e) {
      if (!ended.isDone()) {
        throw e;
      }
      LOG.warn("broke after {}", ended.join(), e);
    } finally {
      try {
        stop();
      } finally {
        var _ = limited.thenAccept(StopLimit::close);
      }
    }
    return fault.isDone() ? Optional.empty() : Optional.of(signals.first().getNow("TERM"));
  }

  private void stop() {
    if (fault.isDone()) {
      // The limit runs since the fault, and its line was printed. No session can end well any more.
      service.endDrain();
      service.stop();
      return;
    }
    var hurried =
        signals
            .second()
            .thenApply(name -> {
              LOG.info("signal {} ends the drain", name);
              service.endDrain();
              return limit(Duration.ZERO);
            });
    try (var _ = limit(drain)) {
      service.stop();
    } finally {
      var _ = hurried.thenAccept(StopLimit::close);
    }
  }

  private StopLimit limit(Duration drained) {
    return StopLimit.begin(
        StopLimit.forLadder(grace).plus(drained),
        Exit.FAILED,
        () -> LOG.error("did not stop in time; leaving"));
  }

  private static void waitFor(CompletableFuture<?> ended, long millis) {
    try {
      var _ = ended.get(millis, TimeUnit.MILLISECONDS);
    } catch (TimeoutException notYet) {
      return;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
