package dev.flyball.triage.item;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.session.SessionResult;
import dev.flyball.contract.session.TokenCount;
import dev.flyball.contract.state.ItemState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a session, from its mark in the ledger and its result.
 *
 * @param data every field of the terminal event
 * @param result the agent's answer, if one was reported
 */
record TerminalEvent(
    Input.SessionRef ref,
    Outcome outcome,
    String reason,
    EventData data,
    @Nullable SessionResult result) {

  static TerminalEvent of(
      Input.SessionReported in,
      Memory.@Nullable Open seen,
      @Nullable Instant requestedAt,
      Instant now,
      @Nullable String unwanted) {
    Outcome marked = in.data().text(Field.OUTCOME).map(Outcome::ofLabel).orElse(Outcome.LOST);
    EventData answer = seen == null ? null : seen.result();
    SessionResult result =
        answer == null ? null : answer.record(Field.RESULT, SessionResult.class).orElse(null);
    Outcome outcome = outcome(marked, answer, result);
    String reason =
        unwanted != null && outcome == Outcome.CANCELLED
            ? unwanted
            : reason(marked, in.data(), answer, outcome);
    EventData data = seen == null ? EventData.EMPTY : seen.facts();
    if (answer != null) {
      data = data.withAll(answer.only(USED));
    }
    data = data.withAll(in.data());
    if (answer != null && marked == Outcome.LOST) {
      data = data.with(Field.COST_MICROS, Math.max(cost(in.data()), cost(answer)));
    }
    if (!data.has(Field.RUNNING_MS)) {
      data = data.withAll(timings(seen, requestedAt, now));
    }
    if (!data.has(Field.RECEIPT)) {
      data = data.with(Field.RECEIPT, Receipt.unknown());
    }
    data =
        data.with(Field.SESSION, in.session().session())
            .with(Field.TOKEN, in.session().token().toString())
            .with(Field.REQUEST, in.session().request())
            .with(Field.OUTCOME, outcome.label())
            .with(Field.REASON, reason);
    return new TerminalEvent(in.session(), outcome, reason, data, result);
  }

  private static final List<Field> USED =
      List.of(
          Field.INPUT_TOKENS,
          Field.OUTPUT_TOKENS,
          Field.CACHED_TOKENS,
          Field.AGENT,
          Field.MODEL,
          Field.AGENT_SESSION,
          Field.HOME,
          Field.REUSED,
          Field.TURN,
          Field.DESERVED,
          Field.FAILURE);

  /** The answer of a completed session. */
  SessionResult completedResult() {
    return Objects.requireNonNull(result, "completed without a result");
  }

  /** Why it did not answer; null if its runner did not report it. */
  @Nullable Failure failure() {
    return data.record(Field.FAILURE, Failure.class).orElse(null);
  }

  long costMicros() {
    return cost(data);
  }

  /** The reported cost may be more than the reserve that the ledger booked. */
  private static long cost(EventData data) {
    return data.number(Field.COST_MICROS).orElse(0);
  }

  long tokens() {
    return data.number(Field.TOKENS).orElse(0);
  }

  /** A field's text; null if the event lacks it. */
  @Nullable String text(Field field) {
    return data.text(field).orElse(null);
  }

  ItemState.SessionNote note(Instant now) {
    Failure failure = failure();
    return new ItemState.SessionNote(
        ref.session(),
        ref.request(),
        outcome,
        reason,
        text(Field.AGENT_SESSION),
        text(Field.HOME),
        "true".equals(text(Field.REUSED)),
        tokens(),
        costMicros(),
        now,
        used(),
        failure == null ? null : failure.code(),
        cut() ? true : null);
  }

  private @Nullable TokenCount used() {
    return data.has(Field.INPUT_TOKENS)
        ? new TokenCount(
            data.number(Field.INPUT_TOKENS).orElse(0),
            data.number(Field.CACHED_TOKENS).orElse(0),
            data.number(Field.OUTPUT_TOKENS).orElse(0))
        : null;
  }

  /**
   * Whether the agent was ended within its turn. What Flyball or the machine killed was, unless its
   * runner reports that it had ended its turn before: an agent may do so on INT. A session that was
   * lost was ended by its deadman.
   */
  private boolean cut() {
    String turn = text(Field.TURN);
    if (turn != null) {
      return turn.equals("cut");
    }
    Receipt receipt = data.record(Field.RECEIPT, Receipt.class).orElseGet(Receipt::unknown);
    return outcome == Outcome.LOST || !receipt.killSteps().isEmpty() || data.has(Field.SIGNAL);
  }

  /**
   * Decides the outcome. An expiry only shows that the runner fell silent: if its result was read
   * before, the session ended as that result states. And no session is completed without a result.
   */
  private static Outcome outcome(
      Outcome marked, @Nullable EventData answer, @Nullable SessionResult result) {
    Outcome said = marked;
    if (marked == Outcome.LOST && answer != null && result != null) {
      said =
          answer
              .text(Field.OUTCOME)
              .map(Outcome::ofLabel)
              .orElse(result.partial() ? Outcome.FAILED : Outcome.COMPLETED);
    }
    return said == Outcome.COMPLETED && result == null ? Outcome.FAILED : said;
  }

  private static String reason(
      Outcome marked, EventData mark, @Nullable EventData answer, Outcome outcome) {
    if (marked == Outcome.COMPLETED && outcome == Outcome.FAILED) {
      return "completed, but the runner reported no readable result";
    }
    if (marked == Outcome.LOST) {
      return outcome == Outcome.LOST
          ? "its lease expired and no result is known"
          : answer == null
              ? outcome.label()
              : answer
                  .text(Field.REASON)
                  .orElse(outcome.label() + ", by its result; its lease expired afterwards");
    }
    return mark.text(Field.REASON).orElse(outcome.label());
  }

  /** Timings by what was read here, for a session whose runner did not report them. */
  private static EventData timings(
      Memory.@Nullable Open seen, @Nullable Instant requestedAt, Instant now) {
    Instant claimed = seen == null ? null : seen.claimedAt();
    Instant spawned = seen == null ? null : seen.spawnedAt();
    Instant started = spawned != null ? spawned : claimed;
    return EventData.EMPTY
        .with(Field.WAITING_MS, between(requestedAt, started == null ? now : started))
        .with(Field.RUNNING_MS, between(spawned, now))
        .with(Field.REPORTING_MS, 0L);
  }

  private static long between(@Nullable Instant from, Instant to) {
    return from == null ? 0 : Math.max(0, Duration.between(from, to).toMillis());
  }
}
