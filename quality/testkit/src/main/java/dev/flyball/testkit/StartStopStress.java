package dev.flyball.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.ops.telemetry.Service;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;

/**
 * Checks that a service keeps the contract of {@link Service}: start and stop are idempotent, stop
 * before start is legal, both may come from several threads at the same time, and after the last
 * stop nothing hangs.
 */
public final class StartStopStress {
  private static final int THREADS = 4;
  private static final int CALLS = 6;

  private StartStopStress() {}

  /**
   * Runs every sequence against fresh services.
   *
   * @param limit for one sequence; beyond it the service hangs
   */
  public static void check(Supplier<? extends Service> make, Duration limit) {
    within(
        limit,
        "stop before start",
        () -> {
          Service service = make.get();
          service.stop();
          service.stop();
          assertThat(service.health()).isNotNull();
        });
    within(
        limit,
        "double start, double stop",
        () -> {
          Service service = make.get();
          service.start();
          service.start();
          assertThat(service.health()).isNotNull();
          service.stop();
          service.stop();
          service.close();
        });
    long seed = new Random().nextLong();
    within(limit, "concurrent start and stop, seed " + seed, () -> concurrently(make.get(), seed));
  }

  private static void concurrently(Service service, long seed) throws InterruptedException {
    List<Throwable> errors = new CopyOnWriteArrayList<>();
    var go = new CountDownLatch(1);
    var threads = new ArrayList<Thread>();
    for (int i = 0; i < THREADS; i++) {
      var random = new Random(seed + i);
      threads.add(
          Thread.ofPlatform()
              .daemon(true)
              .start(() -> {
                try {
                  go.await();
                  for (int call = 0; call < CALLS; call++) {
                    if (random.nextBoolean()) {
                      service.start();
                    } else {
                      service.stop();
                    }
                  }
                } catch (Throwable e) {
                  errors.add(e);
                }
              }));
    }
    go.countDown();
    for (Thread thread : threads) {
      thread.join();
    }
    service.stop();
    assertThat(errors).as("seed %d", seed).isEmpty();
  }

  private static void within(Duration limit, String what, Sequence sequence) {
    List<Throwable> errors = new CopyOnWriteArrayList<>();
    Thread thread =
        Thread.ofPlatform()
            .daemon(true)
            .start(() -> {
              try {
                sequence.run();
              } catch (Throwable e) {
                errors.add(e);
              }
            });
    try {
      assertThat(thread.join(limit)).as("%s ended within %s", what, limit).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted: " + what, e);
    }
    if (!errors.isEmpty()) {
      throw new AssertionError(what + ": " + errors.getFirst(), errors.getFirst());
    }
  }

  private interface Sequence {
    void run() throws Exception;
  }
}
