package dev.flyball.ops.console.page;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.metric.MetricWindow;
import dev.flyball.ops.console.view.EndedSession;
import dev.flyball.ops.console.view.Summary.DaySpend;
import dev.flyball.ops.console.view.Summary.SessionTotals;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * The view of what was.
 *
 * @param windows metric windows of the range, of every tenant that the viewer may see
 * @param ended sessions by their end, newest first
 * @param totals of the sessions that ended in the range
 * @param today what was spent, and the budgets
 * @param deadLetters records in dead-letters
 */
public record HistoryPage(
    HistoryRange range,
    List<MetricWindow> windows,
    OlderRows<EndedSession> ended,
    SessionTotals totals,
    DaySpend today,
    long deadLetters) {
  private static final double MICROS = 1e6;
  private static final double SECOND = 1e3;

  /** How an agent ended: its exit code, or the signal that ended it; a dash for neither. */
  public static String exit(EndedSession session) {
    Long code = session.exitCode();
    Long signal = session.signal();
    if (signal != null) {
      return "signal " + signal;
    }
    return code == null ? "-" : code.toString();
  }

  /** Spend of the range, in micro-dollars: of the windows, else of the sessions that are kept. */
  public long spentMicros() {
    return windows.isEmpty()
        ? totals.costMicros()
        : windows.stream().mapToLong(MetricWindow::costMicros).sum();
  }

  /** What triage and known snapshots saved in the range, in micro-dollars. */
  public long savedMicros() {
    return windows.stream().mapToLong(MetricWindow::savedMicros).sum();
  }

  /** The charts; empty while no window is known. */
  public List<Chart> charts() {
    if (windows.isEmpty()) {
      return List.of();
    }
    double longest = most(windows, HistoryPage::p95);
    return List.of(
        chart(
            "Live sessions",
            Display.grouped((long) most(windows, MetricWindow::concurrencyPeak)) + " at most",
            "",
            "accent",
            List.of(it -> most(it, MetricWindow::concurrencyPeak))),
        chart(
            "Ended sessions",
            Display.outcomes(totals.ended()),
            "",
            "ok bad",
            List.of(
                it -> sum(it, w -> w.ended().getOrDefault("completed", 0L)),
                it -> sum(it, HistoryPage::notCompleted))),
        chart(
            "Duration p95",
            Double.isNaN(longest) ? "none ended" : Display.clock((long) longest) + " at most",
            " s",
            "accent",
            List.of(it -> most(it, w -> p95(w) / SECOND))),
        chart(
            "Spend and saved",
            Display.dollars(spentMicros())
                + (" spent, about " + Display.dollars(savedMicros()) + " saved"),
            "$",
            "accent ok",
            List.of(
                it -> sum(it, w -> w.costMicros() / MICROS),
                it -> sum(it, w -> w.savedMicros() / MICROS))));
  }

  private Chart chart(
      String title,
      String summary,
      String unit,
      String tones,
      List<ToDoubleFunction<Collection<MetricWindow>>> lines) {
    var byTime = new TreeMap<Instant, List<MetricWindow>>();
    windows.forEach(
        it -> byTime.computeIfAbsent(range.point(it.start()), _ -> new ArrayList<>()).add(it));
    // A window in which nothing happened is not written; a sum would not fall to 0 there.
    for (Instant at = byTime.firstKey();
        at.isBefore(byTime.lastKey());
        at = at.plus(range.step())) {
      byTime.putIfAbsent(at, List.of());
    }
    return new Chart(
        title,
        summary,
        unit,
        tones,
        byTime.keySet().stream().map(Instant::getEpochSecond).toList(),
        lines.stream()
            .map(line -> byTime.values().stream().map(line::applyAsDouble).toList())
            .toList());
  }

  private static double notCompleted(MetricWindow window) {
    return window.ended().entrySet().stream()
        .filter(it -> !it.getKey().equals("completed"))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  /** Of the window's sessions, in milliseconds; not a number if none ended. */
  private static double p95(MetricWindow window) {
    MetricWindow.Quantiles running = window.running();
    return running == null ? Double.NaN : running.p95();
  }

  private static double sum(Collection<MetricWindow> all, ToDoubleFunction<MetricWindow> value) {
    return all.stream().mapToDouble(value).sum();
  }

  /** The highest value; not a number if there is none, which is a gap in the line. */
  private static double most(Collection<MetricWindow> all, ToDoubleFunction<MetricWindow> value) {
    return all.stream().mapToDouble(value).filter(it -> !Double.isNaN(it)).max().orElse(Double.NaN);
  }

  /**
   * Lines over time.
   *
   * @param summary what the lines show, in a few words
   * @param unit after each number of the axis, {@code $} is written before it
   * @param tones colours of the lines, separated by spaces
   * @param times seconds since 1970
   * @param lines for each line a value for each time, {@code NaN} where it is not known
   */
  public record Chart(
      String title,
      String summary,
      String unit,
      String tones,
      List<Long> times,
      List<List<Double>> lines) {
    /** The data as the chart's script reads it: the times, then each line. */
    public String series() {
      var all = new ArrayList<Object>();
      all.add(times);
      lines.forEach(line -> all.add(line.stream().map(it -> it.isNaN() ? null : it).toList()));
      return RecordJson.write(all);
    }
  }

  /**
   * How far back the History view looks, and how much time a point of its charts covers.
   *
   * @param label the name in addresses
   * @param words the name for people
   * @param size of the windows, as {@code MetricWindow} names it
   * @param step the time of one point, which begins at a multiple of it; one or more windows
   */
  public record HistoryRange(
      String label, String words, Duration span, String size, Duration step) {
    /** In ten minutes: a line through 360 single minutes is mostly noise. */
    public static final HistoryRange HOURS_6 =
        new HistoryRange("6h", "Last 6 hours", Duration.ofHours(6), "1m", Duration.ofMinutes(10));

    /** As long as metrics are kept. */
    public static final List<HistoryRange> ALL =
        List.of(
            HOURS_6,
            hours("24h", "24 hours", 1),
            hours("7d", "7 days", 7),
            hours("30d", "30 days", 30));

    private static HistoryRange hours(String label, String words, int days) {
      return new HistoryRange(
          label, "Last " + words, Duration.ofDays(days), "1h", Duration.ofHours(1));
    }

    /** The range of an address; six hours unless it names another. */
    public static HistoryRange of(String label) {
      return ALL.stream().filter(it -> it.label.equals(label)).findFirst().orElse(HOURS_6);
    }

    /** Where the point of a window begins. */
    public Instant point(Instant window) {
      long seconds = step.toSeconds();
      return Instant.ofEpochSecond(Math.floorDiv(window.getEpochSecond(), seconds) * seconds);
    }
  }
}
