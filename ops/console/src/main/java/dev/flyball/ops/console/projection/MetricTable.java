package dev.flyball.ops.console.projection;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.metric.MetricWindow;
import dev.flyball.contract.metric.MetricWindow.Quantiles;
import dev.flyball.sqlite.Database;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The windows of the metrics topic, from what the schema's triggers have counted. Each event adds
 * to the counters of its tenant's minute, in the transaction that stores it, so that it counts
 * exactly once; an hour is the sum of its minutes. The order of events does not matter, except for
 * what was saved. Used by the projection's thread.
 */
final class MetricTable {
  /** How long counters stay: the grace of a day, and a day for a console that is behind. */
  private static final Duration KEPT = Duration.ofDays(2);

  private final Database sql;

  MetricTable(Database sql) {
    this.sql = sql;
  }

  /** A window whose record has to be written. */
  record Window(String size, Instant start, String tenant) {
    static final String HOURS = "1h";

    String key() {
      return size + "/" + start + "/" + tenant;
    }

    private Instant end() {
      return start.plus(size.equals(HOURS) ? Duration.ofHours(1) : Duration.ofMinutes(1));
    }
  }

  /** Windows whose record has to be written, the oldest ones first. */
  List<Window> due(int most) {
    return sql.list(
        row -> new Window(row.getString(1), Instant.ofEpochMilli(row.getLong(2)), row.getString(3)),
        "SELECT size, start, tenant FROM metric_due ORDER BY start, size, tenant LIMIT ?",
        most);
  }

  /** The window's record was written; it replaces an earlier one. */
  void written(MetricWindow window) {
    sql.update(
        "INSERT OR REPLACE INTO metric_window (size, start, tenant, json) VALUES (?, ?, ?, ?)",
        window.size(),
        window.start(),
        window.tenant(),
        RecordJson.write(window));
    sql.update(
        "DELETE FROM metric_due WHERE size = ? AND start = ? AND tenant = ?",
        window.size(),
        window.start().toEpochMilli(),
        window.tenant());
  }

  /** Deletes old counters, and sessions that no event has named since. */
  void forget(Instant now) {
    long hour = Duration.ofHours(1).toMillis();
    long oldest = now.minus(KEPT).toEpochMilli() / hour * hour;
    sql.update("DELETE FROM metric_count WHERE start < ?", oldest);
    sql.update("DELETE FROM metric_span WHERE seen < ?", oldest);
  }

  /** The record of the metrics topic. */
  MetricWindow read(Window window) {
    long start = window.start().toEpochMilli();
    long end = window.end().toEpochMilli();
    SortedMap<String, Long> sums =
        ProjectionFile.counts(
            sql,
            "SELECT name, iif(name LIKE 'most %', max(value), sum(value)) FROM metric_count WHERE"
                + " start >= ? AND start < ? AND tenant = ? GROUP BY name",
            start,
            end,
            window.tenant());
    Map<String, Long> counts = ProjectionFile.ofKind("counts/", sums);
    long calls = ProjectionFile.ofKind("most batch/", sums).size();
    if (calls > 0) {
      counts.put("triage.calls", calls);
    }
    return new MetricWindow(
        window.size(),
        window.start(),
        window.tenant(),
        ProjectionFile.ofKind("ended/", sums),
        sums.getOrDefault("claimed", 0L),
        peak(start, end, window.tenant()),
        quantiles(ProjectionFile.ofKind("running/", sums)),
        quantiles(ProjectionFile.ofKind("waiting/", sums)),
        sums.getOrDefault("tokens", 0L),
        sums.getOrDefault("cost", 0L),
        sums.getOrDefault("saved", 0L),
        sums.getOrDefault("most processes", 0L),
        ProjectionFile.ofKind("kills/", sums),
        sums.getOrDefault("survivors", 0L) + sums.getOrDefault("most unended", 0L),
        counts);
  }

  /** The most sessions that were live at one moment of a window. */
  private long peak(long start, long end, String tenant) {
    return sql.first(
            Long.class,
            "WITH span AS (SELECT max(claimed, ?1) AS began, CASE ended WHEN 1 THEN seen ELSE ?2"
                + " END AS ends FROM metric_span WHERE tenant = ?3 AND claimed < ?2 AND seen >= ?1)"
                + " SELECT max(live) FROM (SELECT sum(change) OVER (ORDER BY at) AS live FROM"
                + " (SELECT began AS at, 1 AS change FROM span UNION ALL SELECT ends, -1 FROM"
                + " span))",
            start,
            end,
            tenant)
        .orElse(0L);
  }

  /** The quantiles of durations, given how many there are of each; null if there are none. */
  private static @Nullable Quantiles quantiles(Map<String, Long> counts) {
    long[] sorted =
        counts.entrySet().stream()
            .flatMapToLong(each ->
                LongStream.generate(() -> Long.parseLong(each.getKey())).limit(each.getValue()))
            .sorted()
            .toArray();
    return sorted.length == 0
        ? null
        : new Quantiles(
            sorted.length,
            quantile(50, sorted),
            quantile(95, sorted),
            quantile(99, sorted),
            sorted[sorted.length - 1]);
  }

  /** The smallest duration that at least so many percent of all do not exceed. */
  private static long quantile(int percent, long[] sorted) {
    return sorted[(percent * sorted.length + 99) / 100 - 1];
  }
}
