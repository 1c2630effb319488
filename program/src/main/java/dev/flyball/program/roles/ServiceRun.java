package dev.flyball.program.roles;

import dev.flyball.ops.telemetry.Service;
import dev.flyball.program.terminal.Exit;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Runs a service until a signal, a fatal fault or its work ends it, and stops it in bounded time.
 *
 * @param service what runs
 * @param signals of this process
 * @param fault completes with one line on a fault that waiting does not fix
 * @param onFault the exit code if the stop after a fault takes too long
 * @param drain how long the service may let sessions go on when it stops
 * @param grace from TERM to KILL of what it ends then
 */
public record ServiceRun(
    Service service,
    Signals signals,
    CompletableFuture<String> fault,
    Exit onFault,
    Duration drain,
    Duration grace) {
  private static final Logger LOG = LoggerFactory.getLogger(ServiceRun.class);
  private static final Duration READY_LOOK = Duration.ofMillis(50);
  private static final Duration LOOK = Duration.ofSeconds(2);

  /**
   * Runs the service until a signal or a fault.
   *
   * @param ready called once, when the service is ready
   * @param look called every two seconds after that
   * @return the signal that ended it: INT, TERM or HUP; empty after a fault
   */
  public Optional<String> untilEnded(Runnable ready, Runnable look) {
    return during(() -> {
      var ended = CompletableFuture.anyOf(signals.first(), fault);
      while (!ended.isDone() && !service.health().ready()) {
        var _ = Signals.within(ended, READY_LOOK);
      }
      if (!ended.isDone()) {
        ready.run();
      }
      while (!ended.isDone()) {
        look.run();
        var _ = Signals.within(ended, LOOK);
      }
    });
  }

  /**
   * Starts the service, does this work, and stops the service before it returns.
   *
   * @param work returns soon after a signal or a fault
   * @return the signal that came, TERM without one; empty after a fault
   */
  public Optional<String> during(Runnable work) {
    // After a fault, start and stop may wait for something that never comes.
    var _ =
        fault.thenRun(() -> {
          var _ = StopLimit.begin(StopLimit.forLadder(grace), onFault, Level.WARN);
        });
    // Counts from the signal, not from the end of the start: a start may wait for minutes.
    var limited = signals.first().thenApply(name -> limit(drain));
    try {
      service.start();
      work.run();
    } catch (RuntimeException e) {
      if (!signals.came() && !fault.isDone()) {
        throw e;
      }
      LOG.warn("broke after {}", fault.isDone() ? fault.join() : "a signal", e);
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
    return StopLimit.begin(StopLimit.forLadder(grace).plus(drained), Exit.FAILED, Level.ERROR);
  }

  /**
   * Ends this process when stopping takes too long, for example because Kafka no longer answers.
   * Deadmen outside this JVM end the remaining agents. A drain is not included: it has a limit that
   * a person configured.
   */
  public static final class StopLimit implements AutoCloseable {
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
}
