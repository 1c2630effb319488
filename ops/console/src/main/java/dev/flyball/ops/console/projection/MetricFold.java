package dev.flyball.ops.console.projection;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.metric.MetricWindow;
import dev.flyball.contract.metric.MetricWindow.Quantiles;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Receipt;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.sqlite.Database;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The windows of the metrics topic. Each event adds to the counters of its tenant's minute, in the
 * transaction that stores it, so that it counts exactly once; an hour is the sum of its minutes.
 * The order of events does not matter, except for what was saved. Used by the projection's thread.
 */
final class MetricFold {
  /** An event that was written later than this after it happened is only counted as late. */
  static final Duration GRACE = Duration.ofDays(1);

  /** By how much the clock of a writer may be ahead. */
  private static final Duration AHEAD = Duration.ofHours(1);

  /** How long counters stay: the grace of a day, and a day for a console that is behind. */
  private static final Duration KEPT = Duration.ofDays(2);

  private static final long MINUTE = Duration.ofMinutes(1).toMillis();
  private static final long HOUR = Duration.ofHours(1).toMillis();

  private static final int LONGEST_TENANT = 200;

  // Names of counters; those of one kind begin with the kind and a slash.
  private static final String ENDED = "ended/";
  private static final String KILLS = "kills/";
  private static final String COUNTS = "counts/";
  private static final String CLAIMED = "claimed";
  private static final String TOKENS = "tokens";
  private static final String COST = "cost";
  private static final String SAVED = "saved";
  private static final String SURVIVORS = "survivors";

  /** How many durations there are of each length, in milliseconds. */
  private static final String RUNNING = "running/";

  private static final String WAITING = "waiting/";

  /** What begins with this is the largest value of all and no sum. */
  private static final String MOST = "most ";

  private static final String PROCESSES = MOST + "processes";

  /** Of a tree that cannot be ended; its report is repeated, so they are not added up. */
  private static final String UNENDED = MOST + "unended";

  /** Each triage call once, however many items it judged. */
  private static final String BATCH = MOST + "batch/";

  private final Database sql;

  MetricFold(Database sql) {
    this.sql = sql;
  }

  /** A window whose record has to be written. */
  record Window(String size, Instant start, String tenant) {
    static final String HOURS = "1h";

    /** The key of its record. */
    String key() {
      return size + "/" + start + "/" + tenant;
    }
  }

  /**
   * Counts an event.
   *
   * @param written the time of its record. Lateness is measured against it and not against a clock,
   *     so that a replay counts every event in the same window
   */
  void event(LifecycleEvent event, Instant written) {
    String tenant = tenant(event.subject());
    Instant at = event.time();
    if (at.isBefore(written.minus(GRACE)) || at.isAfter(written.plus(AHEAD))) {
      new Minute(written, tenant).add(COUNTS + "late", 1);
      return;
    }
    var session = event.data().text(Field.SESSION);
    if (session.isPresent()) {
      live(session.get(), tenant, event);
    }
    // Progress reports are too many to be counted; they show that their session is there.
    if (event.type() != EventType.SESSION_PROGRESSED) {
      count(event, new Minute(at, tenant));
    }
  }

  /** Counts an event whose type is unknown, or that cannot be read. */
  void unreadable(@Nullable String subject, Instant written) {
    new Minute(written, tenant(subject == null ? "-" : subject)).add(COUNTS + "other", 1);
  }

  /** Reports processes that cannot be ended, again and again; the kill is another event. */
  static boolean unended(LifecycleEvent event) {
    return event.type() == EventType.SESSION_KILLED
        && event.data().number(Field.SURVIVORS).orElse(0) > 0;
  }

  private void count(LifecycleEvent event, Minute minute) {
    EventType type = event.type();
    EventData data = event.data();
    if (type.terminal()) {
      ended(event, minute);
    } else if (type == EventType.SESSION_CLAIMED) {
      minute.add(CLAIMED, 1);
    } else if (!unended(event)) {
      minute.add(COUNTS + (expired(event) ? "session.leaseExpired" : name(type)), 1);
    }
    if (type.terminal() || type == EventType.ITEM_TRIAGED) {
      minute.add(COST, data.number(Field.COST_MICROS).orElse(0));
    }
    switch (type) {
      case ITEM_TRIAGED -> {
        var batch = data.text(Field.BATCH);
        if (batch.isPresent()) {
          minute.highest(BATCH + batch.get(), 1);
        }
      }
      case SESSION_KILLED, SESSION_ORPHAN_REAPED ->
          minute.highest(UNENDED, data.number(Field.SURVIVORS).orElse(0));
      case ITEM_DUPLICATE, ITEM_SKIPPED -> {
        if (Projection.saved(event).isPresent()) {
          minute.add(SAVED, ProjectionFile.averageCost(sql));
        }
      }
      default -> {}
    }
  }

  private static void ended(LifecycleEvent event, Minute minute) {
    EventData data = event.data();
    Receipt receipt = data.record(Field.RECEIPT, Receipt.class).orElseGet(Receipt::unknown);
    Integer survivors = receipt.survivors();
    String named = name(event.type());
    String outcome =
        data.text(Field.OUTCOME).orElseGet(() -> named.substring(named.indexOf('.') + 1));
    long parts =
        data.number(Field.INPUT_TOKENS).orElse(0) + data.number(Field.OUTPUT_TOKENS).orElse(0);
    minute.add(ENDED + outcome, 1);
    minute.add(TOKENS, Math.max(parts, data.number(Field.TOKENS).orElse(0)));
    minute.add(SURVIVORS, survivors == null ? 0 : survivors);
    minute.highest(PROCESSES, receipt.processesPeak());
    if (!receipt.killSteps().isEmpty()) {
      // The failure's code, for example wall-clock: the reason's text has no fixed values.
      var failure = data.record(Field.FAILURE, Failure.class);
      minute.add(KILLS + failure.map(Failure::code).orElse(outcome), 1);
    }
    if (!receipt.unstarted()) {
      minute.duration(RUNNING, data.number(Field.RUNNING_MS).orElse(0));
      minute.duration(WAITING, data.number(Field.WAITING_MS).orElse(0));
    }
  }

  /** Keeps from when to when a session was live; a minute in which it is seen is written again. */
  private void live(String session, String tenant, LifecycleEvent event) {
    EventType type = event.type();
    long at = event.time().toEpochMilli();
    int ends = type.terminal() || type == EventType.SESSION_LEASE_ENDED ? 1 : 0;
    int changed =
        type == EventType.SESSION_CLAIMED
            ? sql.update(
                "INSERT OR IGNORE INTO metric_span (session, tenant, claimed, seen, ended) VALUES"
                    + " (?1, ?2, ?3, ?3, 0)",
                session,
                tenant,
                at)
            // Clocks of two machines differ: a session never ends before it was seen.
            : sql.update(
                "UPDATE metric_span SET seen = max(seen, ?2), ended = ?3 WHERE session = ?1 AND"
                    + " ended = 0 AND (?3 = 1 OR seen < ?4)",
                session,
                at,
                ends,
                minute(at));
    if (changed > 0) {
      due(minute(at), tenant);
    }
  }

  private void due(long minute, String tenant) {
    sql.update(
        "INSERT OR IGNORE INTO metric_due (size, start, tenant) VALUES ('1m', ?1, ?3), ('1h', ?2,"
            + " ?3)",
        minute,
        Math.floorDiv(minute, HOUR) * HOUR,
        tenant);
  }

  /** The counters of one tenant in one minute. */
  private final class Minute {
    private final long start;
    private final String tenant;

    /** The minute of a moment; it and its hour have to be written again. */
    Minute(Instant at, String tenant) {
      this.start = minute(at.toEpochMilli());
      this.tenant = tenant;
      due(start, tenant);
    }

    void add(String name, long amount) {
      put("value + excluded.value", name, amount);
    }

    void highest(String name, long amount) {
      put("max(value, excluded.value)", name, amount);
    }

    void duration(String kind, long millis) {
      add(kind + Math.max(0, millis), 1);
    }

    private void put(String value, String name, long amount) {
      if (amount != 0) {
        sql.update(
            "INSERT INTO metric_count (start, tenant, name, value) VALUES (?, ?, ?, ?) ON CONFLICT"
                + " (start, tenant, name) DO UPDATE SET value = "
                + value,
            start,
            tenant,
            name,
            amount);
      }
    }
  }

  /** Windows whose record has to be written, the oldest ones first. */
  List<Window> due(int most) {
    return sql.list(
        row -> new Window(row.getString(1), Instant.ofEpochMilli(row.getLong(2)), row.getString(3)),
        "SELECT size, start, tenant FROM metric_due ORDER BY start, size, tenant LIMIT ?",
        most);
  }

  /** The window's record was written. */
  void written(Window window) {
    sql.update(
        "DELETE FROM metric_due WHERE size = ? AND start = ? AND tenant = ?",
        window.size(),
        window.start().toEpochMilli(),
        window.tenant());
  }

  /** Deletes old counters, and sessions that no event has named since. */
  void forget(Instant now) {
    long oldest = Math.floorDiv(now.minus(KEPT).toEpochMilli(), HOUR) * HOUR;
    sql.update("DELETE FROM metric_count WHERE start < ?", oldest);
    sql.update("DELETE FROM metric_span WHERE seen < ?", oldest);
  }

  /** The record of the metrics topic. */
  MetricWindow read(Window window) {
    long start = window.start().toEpochMilli();
    long end = start + (window.size().equals(Window.HOURS) ? HOUR : MINUTE);
    var sums = new TreeMap<String, Long>();
    sql.list(
        row -> {
          String name = row.getString(1);
          return sums.merge(name, row.getLong(2), name.startsWith(MOST) ? Math::max : Long::sum);
        },
        "SELECT name, value FROM metric_count WHERE start >= ? AND start < ? AND tenant = ?",
        start,
        end,
        window.tenant());
    Map<String, Long> counts = ProjectionFile.ofKind(COUNTS, sums);
    long calls = ProjectionFile.ofKind(BATCH, sums).size();
    if (calls > 0) {
      counts.put("triage.calls", calls);
    }
    return new MetricWindow(
        window.size(),
        window.start(),
        window.tenant(),
        ProjectionFile.ofKind(ENDED, sums),
        sums.getOrDefault(CLAIMED, 0L),
        peak(start, end, window.tenant()),
        quantiles(RUNNING, sums),
        quantiles(WAITING, sums),
        sums.getOrDefault(TOKENS, 0L),
        sums.getOrDefault(COST, 0L),
        sums.getOrDefault(SAVED, 0L),
        sums.getOrDefault(PROCESSES, 0L),
        ProjectionFile.ofKind(KILLS, sums),
        sums.getOrDefault(SURVIVORS, 0L) + sums.getOrDefault(UNENDED, 0L),
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

  /** Whether a lease ended because its runner fell silent, so that its item is taken over. */
  static boolean expired(LifecycleEvent event) {
    return event.type() == EventType.SESSION_LEASE_ENDED
        && event.data().text(Field.ENDED_BY).filter("expired"::equals).isPresent();
  }

  /** The type without its prefix and version. */
  private static String name(EventType type) {
    String text = type.type();
    return text.substring(text.indexOf('.') + 1, text.lastIndexOf('.'));
  }

  private static String tenant(String subject) {
    String tenant = TenantScope.tenantOf(subject);
    return tenant.isEmpty() || tenant.length() > LONGEST_TENANT ? "-" : tenant;
  }

  private static long minute(long at) {
    return Math.floorDiv(at, MINUTE) * MINUTE;
  }

  /** The quantiles of the durations of a kind, in milliseconds; null if there are none. */
  static @Nullable Quantiles quantiles(String kind, SortedMap<String, Long> sums) {
    var durations = new TreeMap<Long, Long>();
    ProjectionFile.ofKind(kind, sums)
        .forEach((millis, number) -> durations.put(Long.valueOf(millis), number));
    long count = durations.values().stream().mapToLong(Long::longValue).sum();
    return count == 0
        ? null
        : new Quantiles(
            count,
            quantile(0.5, count, durations),
            quantile(0.95, count, durations),
            quantile(0.99, count, durations),
            durations.lastKey());
  }

  /** The smallest duration that at least this share of all does not exceed. */
  private static long quantile(double share, long count, SortedMap<Long, Long> durations) {
    long left = (long) Math.ceil(share * count);
    for (var duration : durations.entrySet()) {
      left -= duration.getValue();
      if (left <= 0) {
        return duration.getKey();
      }
    }
    return durations.lastKey();
  }
}
