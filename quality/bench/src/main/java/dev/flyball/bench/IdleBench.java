package dev.flyball.bench;

import java.time.Duration;
import java.util.ArrayList;
import org.awaitility.Awaitility;

/** CPU that {@code up} uses while nothing happens, in percent of one core. */
final class IdleBench implements Bench {
  private static final int ROUNDS = 5;
  private static final Duration SETTLE = Duration.ofSeconds(20);
  private static final Duration ROUND = Duration.ofSeconds(10);

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
      var percents = new ArrayList<Double>();
      for (int round = 0; round < ROUNDS; round++) {
        double cpu = Proc.cpuSeconds(program.pid());
        long before = System.nanoTime();
        elapse(ROUND);
        percents.add(
            100 * (Proc.cpuSeconds(program.pid()) - cpu) / ((System.nanoTime() - before) / 1e9));
      }
      System.out.println("   up, idle: " + Figures.of("% of one core", percents));
      System.out.println(
          "   up, resident: " + (long) Proc.megabytes(program.pid(), "VmRSS") + " MB");
    }
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
