package dev.flyball.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.awaitility.Awaitility;

/**
 * CPU that {@code up} uses while nothing happens, in percent of one core, without a browser and
 * with one on its first view, by turns.
 */
final class IdleBench implements Bench {
  private static final int ROUNDS = 5;

  /** The compilers work for longer than the start takes. */
  private static final Duration SETTLE = Duration.ofSeconds(45);

  private static final Duration ROUND = Duration.ofSeconds(15);

  @Override
  public String name() {
    return "idle";
  }

  @Override
  public void run(Place place) throws Exception {
    try (var program =
        new Program(
            place,
            "up",
            "--data",
            place.folder().resolve("data").toString(),
            "--set",
            "broker.listen=127.0.0.1:0",
            "--set",
            "console.listen=127.0.0.1:0")) {
      program.awaitReady();
      elapse(SETTLE);
      var alone = new ArrayList<Double>();
      var watched = new ArrayList<Double>();
      for (int round = 0; round < ROUNDS; round++) {
        alone.add(percent(program));
        try (var page = new OpenPage(program.console())) {
          watched.add(percent(program));
          page.check();
        }
      }
      System.out.println("   up, idle: " + Figures.of("% of one core", alone));
      System.out.println("   with an open page: " + Figures.of("% of one core", watched));
      // Single rounds differ by more than a page costs.
      System.out.printf(
          Locale.ROOT,
          "   the page adds %.1f %% of one core (difference of the means)%n",
          mean(watched) - mean(alone));
      System.out.println(
          "   up, resident: " + (long) Proc.megabytes(program.pid(), "VmRSS") + " MB");
    }
  }

  private static double mean(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).average().orElseThrow();
  }

  private static double percent(Program program) {
    double cpu = Proc.cpuSeconds(program.pid());
    long before = System.nanoTime();
    elapse(ROUND);
    return 100 * (Proc.cpuSeconds(program.pid()) - cpu) / ((System.nanoTime() - before) / 1e9);
  }

  /** Here time itself is what is waited for. */
  private static void elapse(Duration duration) {
    long end = System.nanoTime() + duration.toNanos();
    Awaitility.await()
        .atMost(duration.plusSeconds(30))
        .pollInterval(Duration.ofMillis(500))
        .until(() -> System.nanoTime() >= end);
  }
}
