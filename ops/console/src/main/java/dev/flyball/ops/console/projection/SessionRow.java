package dev.flyball.ops.console.projection;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.session.Receipt;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * One session as its events describe it. Immutable; changed only by {@link #after}, so that a
 * rebuilt projection gives the same row as the live one.
 *
 * @param end null while it has no terminal event
 */
record SessionRow(
    String id,
    String item,
    @Nullable String runner,
    @Nullable Long pid,
    @Nullable String level,
    @Nullable Long processes,
    @Nullable Instant progressAt,
    boolean hung,
    long tokens,
    long costMicros,
    @Nullable End end) {

  /** How the session ended. */
  record End(
      String outcome,
      @Nullable String reason,
      Instant at,
      long waitingMs,
      long runningMs,
      @Nullable Long survivors) {}

  static SessionRow begin(String id, String item) {
    return new SessionRow(id, item, null, null, null, null, null, false, 0, 0, null);
  }

  /** This session after one more event. Events after its terminal event change nothing. */
  SessionRow after(LifecycleEvent event) {
    if (end != null) {
      return this;
    }
    EventData data = event.data();
    SessionRow used = used(data);
    if (event.type().terminal()) {
      return used.ended(event);
    }
    return switch (event.type()) {
      case SESSION_CLAIMED -> used.claimedBy(data.text(Field.RUNNER).orElse(null));
      case SESSION_SPAWNED, SESSION_IDENTIFIED, SESSION_RECOVERED -> used.moved(event);
      case SESSION_PROGRESSED -> used.heard(event);
      case SESSION_HUNG -> used.silent();
      default -> used;
    };
  }

  private SessionRow used(EventData data) {
    long parts =
        data.number(Field.INPUT_TOKENS).orElse(0) + data.number(Field.OUTPUT_TOKENS).orElse(0);
    long now = data.number(Field.TOKENS).orElse(parts);
    return new SessionRow(
        id,
        item,
        runner,
        number(data, Field.PID, pid),
        data.text(Field.LEVEL).orElse(level),
        number(data, Field.PROCESSES, processes),
        progressAt,
        hung,
        Math.max(tokens, now),
        Math.max(costMicros, data.number(Field.COST_MICROS).orElse(0)),
        null);
  }

  private SessionRow claimedBy(@Nullable String by) {
    return new SessionRow(
        id, item, by, pid, level, processes, progressAt, hung, tokens, costMicros, null);
  }

  private SessionRow moved(LifecycleEvent event) {
    return new SessionRow(
        id, item, runner, pid, level, processes, event.time(), false, tokens, costMicros, null);
  }

  /** A progress report of its runner, which contains how long the agent itself has been silent. */
  private SessionRow heard(LifecycleEvent event) {
    Instant spoke = event.time().minusMillis(event.data().number(Field.OUTPUT_AGE_MS).orElse(0));
    return new SessionRow(
        id, item, runner, pid, level, processes, spoke, hung, tokens, costMicros, null);
  }

  private SessionRow silent() {
    return new SessionRow(
        id, item, runner, pid, level, processes, progressAt, true, tokens, costMicros, null);
  }

  private SessionRow ended(LifecycleEvent event) {
    EventData data = event.data();
    Optional<Receipt> receipt = data.record(Field.RECEIPT, Receipt.class);
    Integer survivors = receipt.map(Receipt::survivors).orElse(null);
    var how =
        new End(
            data.text(Field.OUTCOME).orElse(outcomeOf(event.type())),
            data.text(Field.REASON).orElse(null),
            event.time(),
            data.number(Field.WAITING_MS).orElse(0),
            data.number(Field.RUNNING_MS).orElse(0),
            survivors == null ? null : survivors.longValue());
    return new SessionRow(
        id, item, runner, pid, level, processes, progressAt, false, tokens, costMicros, how);
  }

  private static String outcomeOf(EventType type) {
    String name = type.type().substring("flyball.session.".length());
    return name.substring(0, name.indexOf('.'));
  }

  private static @Nullable Long number(EventData data, Field field, @Nullable Long otherwise) {
    OptionalLong number = data.number(field);
    return number.isPresent() ? Long.valueOf(number.getAsLong()) : otherwise;
  }
}
