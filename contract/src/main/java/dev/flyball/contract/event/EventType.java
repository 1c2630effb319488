package dev.flyball.contract.event;

import static dev.flyball.contract.event.Field.*;

import dev.flyball.contract.session.Outcome;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Every lifecycle event, with the fields that it always carries (further ones are allowed). The
 * type string is the {@code ce_type} header.
 */
public enum EventType {
  SESSION_REQUESTED(
      "session.requested", "A session should run for this item now", REQUEST, ATTEMPT, REVISION),
  SESSION_CLAIMED(
      "session.claimed",
      "A claim took effect in the ledger",
      SESSION,
      TOKEN,
      REQUEST,
      RUNNER,
      ATTEMPT),
  SESSION_SPAWNED(
      "session.spawned", "The agent was started in its containment", SESSION, TOKEN, PID, LEVEL),
  SESSION_IDENTIFIED(
      "session.identified", "The agent reported its session id", SESSION, TOKEN, AGENT_SESSION),
  SESSION_PROGRESSED("session.progressed", "What the session has used so far", SESSION, TOKEN),
  SESSION_HUNG(
      "session.hung",
      "The agent has been silent for long; reported, not killed",
      SESSION,
      TOKEN,
      REASON),
  SESSION_RECOVERED("session.recovered", "A hung agent spoke again", SESSION, TOKEN),
  SESSION_KILLED(
      "session.killed",
      "The runner ended the session; survivors above 0: processes live on that cannot be ended",
      SESSION,
      TOKEN,
      REASON,
      KILL_STEPS),
  SESSION_RESULT("session.result", "What the agent answered", SESSION, TOKEN, REQUEST, RESULT),
  SESSION_LATE_RESULT(
      "session.lateResult",
      "An answer that came after its terminal; kept, never the newest analysis",
      SESSION,
      TOKEN,
      RESULT),
  SESSION_ORPHAN_REAPED(
      "session.orphanReaped",
      "What outlived its session or its runner was ended; survivors above 0: it could not be",
      SESSION,
      SURVIVORS),
  /**
   * Not a terminal: the mark that triage-stream writes to the item's partition when the ledger ends
   * a lease. The terminal follows once everything written before this mark is read, so a session's
   * end can never overtake its result.
   */
  SESSION_LEASE_ENDED(
      "session.leaseEnded",
      "The ledger ended the lease; the terminal follows",
      SESSION,
      TOKEN,
      REQUEST,
      OUTCOME),
  SESSION_COMPLETED(Outcome.COMPLETED, "Terminal: the agent answered"),
  SESSION_FAILED(Outcome.FAILED, "Terminal: the agent ended without an answer"),
  SESSION_TIMED_OUT(Outcome.TIMED_OUT, "Terminal: its own deadline ended it"),
  SESSION_CANCELLED(Outcome.CANCELLED, "Terminal: no longer wanted"),
  SESSION_INTERRUPTED(
      Outcome.INTERRUPTED,
      "Terminal: ended by our own shutdown, a late claim, a provider's limit or a fault of its"
          + " runner; no attempt used"),
  SESSION_LOST(Outcome.LOST, "Terminal: its lease expired and no result is known"),
  ITEM_CHANGED("item.changed", "A snapshot with a new fingerprint", REVISION),
  ITEM_DUPLICATE("item.duplicate", "A snapshot whose meaningful content is known", REVISION),
  ITEM_TRIAGED("item.triaged", "A verdict arrived", REVISION, REASON, MODEL),
  ITEM_SKIPPED("item.skipped", "Not worth a session", REVISION, REASON),
  ITEM_SUPERSEDED("item.superseded", "A newer snapshot replaced this one", REVISION, REASON),
  ITEM_DEFERRED("item.deferred", "A new attempt comes later", REVISION, REASON),
  ITEM_CLOSED("item.closed", "Closed or unassigned in the tracker", REVISION, REASON),
  ITEM_CANCELLED("item.cancelled", "No longer wanted by an operator", REVISION, REASON),
  ITEM_REOPENED("item.reopened", "An operator retries a settled item", REVISION, REASON),
  ITEM_DEAD_LETTERED("item.deadLettered", "Given up, with the reason", REASON),
  ITEM_ROTATED(
      "item.rotated",
      "The agent's session is not resumed any more; the next one starts fresh",
      REASON,
      PREVIOUS_SESSION),
  ITEM_FORGOTTEN("item.forgotten", "An operator deleted the item's state", REASON),
  WRITE_BACK_FINISHED(
      "writeBack.finished", "An analysis was delivered", REVISION, SESSION, WAITING_MS, AFTER),
  WRITE_BACK_FAILED(
      "writeBack.failed",
      "The delivery of an analysis was given up",
      REVISION,
      SESSION,
      WAITING_MS,
      REASON),
  COMMAND_DONE(
      "command.done",
      "An operator's command took effect",
      COMMAND,
      COMMAND_ID,
      WHO,
      REASON,
      BEFORE,
      AFTER),
  COMMAND_REFUSED(
      "command.refused",
      "An operator's command had no effect; the reason says why",
      COMMAND,
      COMMAND_ID,
      WHO,
      REASON,
      BEFORE),
  POLL_STARTED("poll.started", "A poll of a source began"),
  POLL_FINISHED("poll.finished", "A poll of a source ended"),
  POLL_SKIPPED(
      "poll.skipped", "A poll was skipped, for example because one is in progress", REASON),
  POLL_FAILED("poll.failed", "A poll failed", REASON, CATEGORY),
  BREAKER_OPENED("breaker.opened", "Calls to a source are suspended", REASON, CATEGORY, UNTIL),
  BREAKER_HALF_OPENED("breaker.halfOpened", "One call is let through"),
  BREAKER_CLOSED("breaker.closed", "Calls to a source go on"),
  GATE_REFUSED(
      "gate.refused", "A runner starts no sessions, or declines some of them", RUNNER, REASON),
  GATE_ACCEPTED("gate.accepted", "A runner's gate is open again", RUNNER, REASON),
  BUDGET_WARNED(
      "budget.warned", "80 % of a scope's daily budget is spent; once a UTC day", SCOPE, REASON),
  BUDGET_EXHAUSTED(
      "budget.exhausted",
      "A scope's daily budget is spent, or less is left than a session reserves; or a provider's"
          + " account is exhausted: nothing of it starts. Once a UTC day, or for each pause of a"
          + " provider",
      SCOPE,
      REASON);

  private static final Map<String, EventType> BY_TYPE =
      Arrays.stream(values())
          .collect(Collectors.toUnmodifiableMap(EventType::type, Function.identity()));

  private final String type;
  private final String meaning;
  private final List<Field> required;
  private final boolean terminal;

  EventType(String name, String meaning, Field... required) {
    this.type = "flyball." + name + ".v1";
    this.meaning = meaning;
    this.required = List.of(required);
    this.terminal = false;
  }

  /** The terminal event of an outcome; only an answer needs no reason. */
  EventType(Outcome outcome, String meaning) {
    this.type = "flyball.session." + outcome.label() + ".v1";
    this.meaning = meaning;
    this.required =
        Stream.of(
                SESSION,
                TOKEN,
                REQUEST,
                OUTCOME,
                REASON,
                WAITING_MS,
                RUNNING_MS,
                REPORTING_MS,
                RECEIPT)
            .filter(field -> field != REASON || outcome != Outcome.COMPLETED)
            .toList();
    this.terminal = true;
  }

  /** The {@code ce_type} header, for example {@code flyball.session.claimed.v1}. */
  public String type() {
    return type;
  }

  /** One line for a person. */
  public String meaning() {
    return meaning;
  }

  /** Fields that every event of this type carries, besides the ones of its envelope. */
  public List<Field> required() {
    return required;
  }

  /** Whether this is the one event that ends a session. */
  public boolean terminal() {
    return terminal;
  }

  /** The terminal event of an outcome. */
  public static EventType terminalOf(Outcome outcome) {
    return switch (outcome) {
      case COMPLETED -> SESSION_COMPLETED;
      case FAILED -> SESSION_FAILED;
      case TIMED_OUT -> SESSION_TIMED_OUT;
      case CANCELLED -> SESSION_CANCELLED;
      case INTERRUPTED -> SESSION_INTERRUPTED;
      case LOST -> SESSION_LOST;
    };
  }

  /** Finds a type by its {@code ce_type}; empty for types of a newer version. */
  public static Optional<EventType> ofType(String type) {
    return Optional.ofNullable(BY_TYPE.get(type));
  }
}
