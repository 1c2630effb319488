package dev.flyball.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Locale;

/**
 * What a live session costs as an installation grows, in one run: the ledger's traffic, the latency
 * of claims, one runner's ledger thread, the broker. {@code -Dscale.sessions=100,1000,10000} sets
 * the sizes, {@code -Dscale.seconds} the length of a phase, {@code -Dscale.length} how many seconds
 * a session runs, {@code -Dscale.real} how many real ledger threads join (0 for none).
 */
final class ScaleBench implements Bench {
  private static final Duration SETTLE = Duration.ofSeconds(12);

  /** A fold that reads every lease for each entry takes ten times as much for each session. */
  private static final double MOST_RATIO = 3;

  private static final double TARGET_RATIO = 1.3;
  private static final double TARGET_THREAD = 0.1;
  private static final double TARGET_CLAIM_MILLIS = 100;

  private record Size(ScalePlan plan, ScaleFigures alone, ScaleFigures beside) {}

  @Override
  public String name() {
    return "scale";
  }

  @Override
  public void run(Place place) throws Exception {
    var length = Duration.ofSeconds(Integer.getInteger("scale.length", 600));
    int seconds = Integer.getInteger("scale.seconds", 40);
    int real = Integer.getInteger("scale.real", 50);
    var sizes = new ArrayList<Size>();
    for (String sessions : System.getProperty("scale.sessions", "100,1000").split(",", -1)) {
      var plan = new ScalePlan(Integer.parseInt(sessions), length, seconds, real);
      sizes.add(measured(plan, Files.createDirectory(place.folder().resolve(sessions))));
    }
    for (int i = 1; i < sizes.size(); i++) {
      compare(sizes.get(i - 1), sizes.get(i));
    }
    targets(sizes.getLast());
  }

  private static Size measured(ScalePlan plan, Path folder) {
    try (var pool = new SimulatedPool(plan, folder)) {
      pool.fill();
      pool.settle(SETTLE);
      ScaleFigures alone = pool.measure();
      alone.print(plan, "simulated, " + plan.folds() + " folds");
      if (plan.joining() == 0) {
        return new Size(plan, alone, alone);
      }
      pool.join();
      pool.settle(SETTLE);
      ScaleFigures beside = pool.measure();
      beside.print(plan, "with " + plan.joining() + " real ledger threads");
      line(
          "  broker: %.3f %% of a core for each real runner",
          (beside.brokerShare() - alone.brokerShare()) * 100 / plan.joining());
      return new Size(plan, alone, beside);
    }
  }

  private static void compare(Size small, Size large) {
    double fold = large.alone().foldOfASession() / small.alone().foldOfASession();
    line(
        "from %d to %d sessions: entries/s x %.2f, claim p50 x %.2f, p99 x %.2f,"
            + " broker CPU x %.2f; for each session: fold x %.2f, real ledger thread x %.2f"
            + " (target %.1f)",
        small.plan().sessions(),
        large.plan().sessions(),
        large.alone().entriesPerSecond() / small.alone().entriesPerSecond(),
        large.alone().claims().at(50) / small.alone().claims().at(50),
        large.alone().claims().at(99) / small.alone().claims().at(99),
        large.alone().brokerShare() / small.alone().brokerShare(),
        fold,
        large.beside().threadOfASession() / small.beside().threadOfASession(),
        TARGET_RATIO);
    Gate.atMost(MOST_RATIO, fold, "fold of a session at many sessions to few");
    if (small.plan().joining() > 0) {
      Gate.atMost(
          MOST_RATIO,
          large.beside().threadOfASession() / small.beside().threadOfASession(),
          "ledger thread of a session at many sessions to few");
    }
  }

  private static void targets(Size largest) {
    line(
        "at %d sessions: claim p99 %.0f ms (target %.0f); a real ledger thread, if any joined:"
            + " %.1f %% of a core (target %.0f %%)",
        largest.plan().sessions(),
        largest.alone().claims().at(99),
        TARGET_CLAIM_MILLIS,
        largest.beside().realShare() * 100,
        TARGET_THREAD * 100);
  }

  private static void line(String format, Object... values) {
    System.out.printf(Locale.ROOT, "   " + format + "%n", values);
  }
}
