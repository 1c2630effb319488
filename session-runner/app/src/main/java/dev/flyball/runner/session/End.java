package dev.flyball.runner.session;

import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Failure.Kind;
import dev.flyball.contract.session.Outcome;
import dev.flyball.runner.agent.AgentAnswer;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The end of a session: why it ends, and how it has ended unless its agent has answered. The first
 * cause stays.
 *
 * @param failure why it did not answer; null if it did, or if the runner's side ended it
 * @param reason one line for a person, null if there is nothing to add to the outcome
 */
public record End(
    Cause cause, Outcome outcome, @Nullable Failure failure, @Nullable String reason) {
  /** The agent ended by itself; {@link #given} says how. */
  public static final End EXITED = new End(Cause.EXITED, Outcome.FAILED, null, null);

  /** The session's lease can no longer be shown to hold. */
  public static final End FENCED =
      of(Cause.FENCED, "ended: Kafka confirmed no renewal of its lease in time");

  /**
   * The failure of a session that its runner could not continue, for triage-stream, which may
   * retry: on another runner, or later, the session may succeed.
   */
  public static final Failure RUNNER_FAULT = new Failure(Kind.TRANSIENT, "runner-fault");

  private static final int MAX_REASON = 1000;

  public End {
    reason =
        reason == null || reason.length() <= MAX_REASON
            ? reason
            : reason.substring(0, MAX_REASON - 3) + "...";
  }

  /** Of a session whose agent ended by itself. */
  public End(Outcome outcome, @Nullable Failure failure, @Nullable String reason) {
    this(Cause.EXITED, outcome, failure, reason);
  }

  /** What ends a session, and its outcome unless its agent has answered. */
  public enum Cause {
    /** The agent, by itself. */
    EXITED(Outcome.FAILED),
    /** A fault of the runner or of its settings, which every item would meet here. */
    START_FAILED(Outcome.INTERRUPTED),
    /** One of the session's clocks. */
    TIMED_OUT(Outcome.TIMED_OUT),
    /** The session wrote, forked or spent more than it may. */
    OVER_LIMIT(Outcome.FAILED),
    /** A fault of the runner itself: it cannot continue the session. */
    BROKEN(Outcome.FAILED),
    /** Its request changed or was deleted. */
    UNWANTED(Outcome.CANCELLED),
    /** Its lease can no longer be shown to hold. */
    FENCED(Outcome.INTERRUPTED),
    /** Its lease has ended in the ledger, or the ledger can no longer be trusted. */
    LOST(Outcome.INTERRUPTED),
    /** The runner shuts down, or the claim took effect too late, or a budget is spent. */
    INTERRUPTED(Outcome.INTERRUPTED);

    private final Outcome outcome;

    Cause(Outcome outcome) {
      this.outcome = outcome;
    }

    /** One word that logs carry. */
    public String label() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
  }

  /** The clocks that can end a session. */
  public enum Clock {
    IDENTIFY("not-identified", "not identified within"),
    STALL("silent", "silent for"),
    WALL("wall-clock", "wall clock of"),
    POST_RESULT("after-result", "still running after its result for");

    private final Failure failure;
    private final String text;

    Clock(String code, String text) {
      this.failure = new Failure(Kind.TRANSIENT, code);
      this.text = text;
    }
  }

  /** Returns the end by a cause without a failure of the agent. */
  public static End of(Cause cause, String text) {
    return of(cause, cause == Cause.BROKEN ? RUNNER_FAULT : null, text);
  }

  /** Returns the end by a cause with this failure. */
  public static End of(Cause cause, @Nullable Failure failure, String text) {
    return new End(cause, cause.outcome, failure, text);
  }

  /**
   * Returns the end of a session that its runner could not start.
   *
   * @param code the code of its {@link Failure}
   */
  public static End startFailed(String code, String text) {
    return of(Cause.START_FAILED, new Failure(Kind.RUNNER, code), text);
  }

  /**
   * Returns the end by a clock that ran out.
   *
   * @param seen the lines that its agent had written until then
   */
  public static End timedOut(Clock clock, Duration limit, Vitals.Lines seen) {
    boolean whole = limit.toMillis() % 1000 == 0;
    String text = clock.text + " " + (whole ? limit.toSeconds() + " s" : limit.toMillis() + " ms");
    boolean silence = clock == Clock.IDENTIFY || clock == Clock.STALL;
    return of(Cause.TIMED_OUT, clock.failure, silence ? text + "; " + seen.text() : text);
  }

  /** Whether this ended it. */
  public boolean by(Cause which) {
    return cause == which;
  }

  /** Whether the tree is killed without a gentle ladder, because the lease may be over. */
  public boolean atOnce() {
    return cause == Cause.FENCED || cause == Cause.LOST;
  }

  /** Whether the agent was silent for too long. */
  public boolean silent() {
    return Clock.STALL.failure.equals(failure);
  }

  /** One line for a person. */
  public String text() {
    return reason == null ? "the agent ended" : reason;
  }

  /**
   * Returns the end with the agent's answer: the only place that decides outcomes. A session that
   * has answered is completed, whatever ended the process afterwards, unless its request is no
   * longer wanted.
   *
   * @param answer the agent's answer, with its exit taken into account
   * @param exit how the agent's process ended; null if none was started
   */
  public End given(AgentAnswer answer, @Nullable Exit exit) {
    boolean exited = cause == Cause.EXITED;
    return switch (answer) {
      case AgentAnswer _ when cause == Cause.UNWANTED || cause == Cause.START_FAILED -> this;
      case AgentAnswer.Complete complete ->
          with(
              Outcome.COMPLETED,
              null,
              exited ? unusual(exit) : outcome == Outcome.INTERRUPTED ? null : reason);
      // It was silent because it waited for a provider or a network.
      case AgentAnswer.Broken broken
          when broken.blamesOthers() && (exited || cause == Cause.TIMED_OUT) ->
          with(
              Outcome.INTERRUPTED, broken.failure(), blame(broken) + (exited ? "" : "; " + reason));
      case AgentAnswer.Broken broken ->
          exited ? with(Outcome.FAILED, broken.failure(), broken.reason()) : this;
    };
  }

  /** The same cause with another outcome. */
  public End with(Outcome as, @Nullable Failure because, @Nullable String text) {
    return new End(cause, as, because, text);
  }

  /**
   * Returns the end of a session that was to go on with an earlier one of its agent.
   *
   * @param silent whether the agent ended by itself, without an error and without one token
   */
  public End reused(boolean silent) {
    return silent && outcome == Outcome.FAILED
        ? with(
            Outcome.FAILED,
            new Failure(Kind.TRANSIENT, Failure.SILENT_SESSION),
            "the resumed session ended without a turn; " + text())
        : this;
  }

  /** What is wrong with the exit of an agent that has answered; null if nothing is. */
  private static @Nullable String unusual(@Nullable Exit exit) {
    if (exit == null || (exit.code() == 0 && !exit.signalled())) {
      return null;
    }
    return (exit.signalled() ? "killed by signal " + exit.signal() : "exit " + exit.code())
        + " after its answer";
  }

  /** One line that begins with whose fault it is, for one of the provider or the runner. */
  public static String blame(AgentAnswer.Broken broken) {
    String code = broken.failure().code().replace('-', ' ');
    return broken.reason().startsWith(code) ? broken.reason() : code + "; " + broken.reason();
  }
}
