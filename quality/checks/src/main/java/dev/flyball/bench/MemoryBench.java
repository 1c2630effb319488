package dev.flyball.bench;

import dev.flyball.testkit.BrokerProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.awaitility.Awaitility;

/**
 * Resident memory of {@code run} over the examples at its peak (target 500 MB) and of a lone idle
 * runner (150 MB).
 */
final class MemoryBench implements Bench {
  private static final int ROUNDS = 3;

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public void run(Place place) throws Exception {
    var peaks = new ArrayList<Double>();
    var seconds = new ArrayList<Double>();
    for (int round = 0; round < ROUNDS; round++) {
      wholeRun(place, round, peaks, seconds);
    }
    System.out.println(
        "   run over the examples, peak: " + Figures.of("MB", peaks) + ", target 500");
    System.out.println(
        "   run over the examples, time: " + Figures.of("s", seconds) + ", target 90");
    loneRunner(place);
  }

  private static void wholeRun(Place place, int round, List<Double> peaks, List<Double> seconds)
      throws Exception {
    String items = place.root().resolve("examples/work-items.jsonl").toString();
    String data = place.folder().resolve("data-" + round).toString();
    long before = System.nanoTime();
    try (var program =
        new Program(place, "run", items, "--repo", place.root().toString(), "--data", data)) {
      var peak = new double[1];
      Awaitility.await()
          .atMost(Duration.ofMinutes(5))
          .pollInterval(Duration.ofMillis(200))
          .until(() -> {
            if (program.alive()) {
              peak[0] = Math.max(peak[0], Proc.megabytes(program.pid(), "VmHWM"));
            }
            return !program.alive();
          });
      seconds.add((System.nanoTime() - before) / 1e9);
      peaks.add(peak[0]);
      if (program.exitValue() != 0) {
        System.out.println("   run exited " + program.exitValue() + ": " + program.tail());
      }
    }
  }

  private static void loneRunner(Place place) throws Exception {
    try (var broker = BrokerProcess.start(place.folder().resolve("broker"));
        var runner =
            new Program(
                place,
                "runner",
                "--bootstrap-servers",
                broker.bootstrapServers(),
                "--set",
                "topics.replication=1",
                "--repo",
                place.root().toString(),
                "--data",
                place.folder().resolve("runner").toString())) {
      runner.awaitReady();
      var resident = new ArrayList<Double>();
      Awaitility.await()
          .atMost(Duration.ofMinutes(1))
          .pollInterval(Duration.ofSeconds(1))
          .until(() -> {
            resident.add(Proc.megabytes(runner.pid(), "VmRSS"));
            return resident.size() >= 15;
          });
      System.out.println(
          "   lone runner, resident over 15 s: " + Figures.of("MB", resident) + ", target 150");
      System.out.printf(
          Locale.ROOT, "   lone runner, peak: %.0f MB%n", Proc.megabytes(runner.pid(), "VmHWM"));
    }
  }
}
