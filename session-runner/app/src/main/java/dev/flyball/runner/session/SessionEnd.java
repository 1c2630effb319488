package dev.flyball.runner.session;

import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Failure.Kind;
import dev.flyball.contract.session.Outcome;
import dev.flyball.runner.agent.AgentAnswer;
import org.jspecify.annotations.Nullable;

/**
 * How a session ended.
 *
 * @param failure why it did not answer; null if it did, or if the runner's side ended it
 * @param reason one line for a person, null if it completed and there is nothing to add
 */
public record SessionEnd(Outcome outcome, @Nullable Failure failure, @Nullable String reason) {
  private static final int MAX_REASON = 1000;

  public SessionEnd {
    reason =
        reason == null || reason.length() <= MAX_REASON
            ? reason
            : reason.substring(0, MAX_REASON - 3) + "...";
  }

  /** One line for a person. */
  public String text() {
    return reason == null ? "the agent ended" : reason;
  }

  /**
   * Classifies an end: the only place that decides outcomes. A session that has answered is
   * completed, whatever ended the process afterwards, unless its request is no longer wanted.
   *
   * @param answer the agent's answer, with its exit taken into account
   * @param refusal which limit the provider reported, so that a failure is not the agent's; null if
   *     none
   */
  public static SessionEnd classify(EndCause cause, AgentAnswer answer, @Nullable String refusal) {
    boolean answered = answer instanceof AgentAnswer.Complete;
    return switch (cause) {
      case EndCause.Unwanted unwanted -> new SessionEnd(Outcome.CANCELLED, null, unwanted.text());
      case EndCause.Exited exited -> exited(answer, refusal);
      case EndCause.StartFailed failed ->
          failed(new Failure(Kind.TRANSIENT, failed.code()), failed.text());
      case EndCause.TimedOut timedOut ->
          answered
              ? completed(timedOut.text())
              : new SessionEnd(
                  Outcome.TIMED_OUT,
                  new Failure(Kind.TRANSIENT, timedOut.clock().code()),
                  timedOut.text());
      case EndCause.OverLimit over ->
          answered ? completed(over.text()) : failed(over.failure(), over.text());
      case EndCause.Broken broken ->
          answered ? completed(broken.text()) : failed(EndCause.Broken.FAILURE, broken.text());
      case EndCause.Fenced fenced -> interrupted(fenced, answered);
      case EndCause.Lost lost -> interrupted(lost, answered);
      case EndCause.Interrupted interrupted -> interrupted(interrupted, answered);
    };
  }

  /**
   * Returns the end of a session that was to go on with an earlier one of its agent.
   *
   * @param silent whether the agent ended by itself, without an error and without one token
   */
  public SessionEnd reused(boolean silent) {
    return silent && outcome == Outcome.FAILED
        ? failed(
            new Failure(Kind.TRANSIENT, Failure.SILENT_SESSION),
            "the resumed session ended without a turn; " + text())
        : this;
  }

  private static SessionEnd exited(AgentAnswer answer, @Nullable String refusal) {
    return switch (answer) {
      case AgentAnswer.Complete complete -> completed(null);
      case AgentAnswer.Broken broken when refusal != null ->
          new SessionEnd(
              Outcome.INTERRUPTED,
              new Failure(Kind.PROVIDER, "provider-limit"),
              refusal + "; " + broken.reason());
      case AgentAnswer.Broken broken when broken.failure().kind() == Kind.RUNNER ->
          new SessionEnd(Outcome.INTERRUPTED, broken.failure(), broken.reason());
      case AgentAnswer.Broken broken -> failed(broken.failure(), broken.reason());
    };
  }

  private static SessionEnd completed(@Nullable String reason) {
    return new SessionEnd(Outcome.COMPLETED, null, reason);
  }

  private static SessionEnd failed(Failure failure, String reason) {
    return new SessionEnd(Outcome.FAILED, failure, reason);
  }

  private static SessionEnd interrupted(EndCause cause, boolean answered) {
    return answered ? completed(null) : new SessionEnd(Outcome.INTERRUPTED, null, cause.text());
  }
}
