package dev.flyball.ops.console.metrics;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Receipt;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** What each event adds to the windows. */
public final class FactRules {
  /** An event that was written later than this after it happened is only counted as late. */
  public static final Duration GRACE = Duration.ofDays(1);

  /** By how much the clock of a writer may be ahead. */
  private static final Duration AHEAD = Duration.ofHours(1);

  private static final int LONGEST_TENANT = 200;
  private static final String NO_TENANT = "-";

  private FactRules() {}

  /**
   * The fact of an event.
   *
   * @param written the time of its record. Lateness is measured against it and not against a clock,
   *     so that a replay counts every event in the same window
   */
  public static MetricFact of(LifecycleEvent event, Instant written) {
    String tenant = tenant(event.subject());
    if (off(event.time(), written)) {
      return MetricFact.counted(MetricFact.LATE, tenant, written.toEpochMilli());
    }
    EventType type = event.type();
    EventData data = event.data();
    boolean triaged = type == EventType.ITEM_TRIAGED;
    return new MetricFact(
        expired(type, data) ? MetricFact.LEASE_EXPIRED : name(type),
        tenant,
        event.time().toEpochMilli(),
        data.text(Field.SESSION).orElse(null),
        type.terminal() ? end(type, data) : null,
        triaged ? data.text(Field.BATCH).orElse(null) : null,
        triaged ? data.number(Field.COST_MICROS).orElse(0) : 0,
        unended(type) ? data.number(Field.SURVIVORS).orElse(0) : 0,
        saved(type, data));
  }

  /** The fact of an event whose type is unknown, or that cannot be read. */
  public static MetricFact unknown(String subject, Instant written) {
    return MetricFact.counted(MetricFact.OTHER, tenant(subject), written.toEpochMilli());
  }

  private static boolean off(Instant time, Instant written) {
    return time.isBefore(written.minus(GRACE)) || time.isAfter(written.plus(AHEAD));
  }

  /** The type without its prefix and version. */
  private static String name(EventType type) {
    String text = type.type();
    return text.substring(text.indexOf('.') + 1, text.lastIndexOf('.'));
  }

  private static String tenant(String subject) {
    int slash = subject.indexOf('/');
    return slash < 1 || slash > LONGEST_TENANT ? NO_TENANT : subject.substring(0, slash);
  }

  private static boolean expired(EventType type, EventData data) {
    return type == EventType.SESSION_LEASE_ENDED
        && data.text(Field.ENDED_BY).filter("expired"::equals).isPresent();
  }

  private static boolean unended(EventType type) {
    return type == EventType.SESSION_KILLED || type == EventType.SESSION_ORPHAN_REAPED;
  }

  /** The projection's rule: without a model, an operator or an exclusion skipped the item. */
  private static boolean saved(EventType type, EventData data) {
    return type == EventType.ITEM_DUPLICATE
        || (type == EventType.ITEM_SKIPPED && data.has(Field.MODEL));
  }

  private static MetricFact.End end(EventType type, EventData data) {
    Receipt receipt = data.record(Field.RECEIPT, Receipt.class).orElseGet(Receipt::unknown);
    Integer survivors = receipt.survivors();
    String named = name(type);
    String outcome =
        data.text(Field.OUTCOME).orElseGet(() -> named.substring(named.indexOf('.') + 1));
    long parts =
        data.number(Field.INPUT_TOKENS).orElse(0) + data.number(Field.OUTPUT_TOKENS).orElse(0);
    return new MetricFact.End(
        outcome,
        !receipt.unstarted(),
        receipt.killSteps().isEmpty() ? null : killedBy(data, outcome),
        data.number(Field.RUNNING_MS).orElse(0),
        data.number(Field.WAITING_MS).orElse(0),
        Math.max(parts, data.number(Field.TOKENS).orElse(0)),
        data.number(Field.COST_MICROS).orElse(0),
        receipt.processesPeak(),
        survivors == null ? 0 : survivors);
  }

  /** The failure's code, for example {@code wall-clock}: the reason's text has no fixed values. */
  private static String killedBy(EventData data, String outcome) {
    Optional<Failure> failure = data.record(Field.FAILURE, Failure.class);
    return failure.map(Failure::code).orElse(outcome);
  }
}
