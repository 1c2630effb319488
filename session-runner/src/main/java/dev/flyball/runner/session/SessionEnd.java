package dev.flyball.runner.session;

import dev.flyball.contract.session.Outcome;
import dev.flyball.runner.agent.AgentAnswer;
import org.jspecify.annotations.Nullable;

/**
 * How a session ended.
 *
 * @param reason one line for a person, null if it completed and there is nothing to add
 */
public record SessionEnd(Outcome outcome, @Nullable String reason) {
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
   * The one place that names outcomes. An answer that was given counts whatever ended the process
   * afterwards, except that nobody wants it any more.
   *
   * @param answer what the agent said, with its exit taken into account
   * @param refusal how the provider had refused, so that a failure is not the agent's; null if it
   *     had not
   */
  public static SessionEnd classify(EndCause cause, AgentAnswer answer, @Nullable String refusal) {
    boolean answered = answer instanceof AgentAnswer.Complete;
    return switch (cause) {
      case EndCause.Unwanted unwanted -> new SessionEnd(Outcome.CANCELLED, unwanted.text());
      case EndCause.Exited exited -> exited(answer, refusal);
      case EndCause.StartFailed failed -> new SessionEnd(Outcome.FAILED, failed.text());
      case EndCause.TimedOut timedOut ->
          new SessionEnd(answered ? Outcome.COMPLETED : Outcome.TIMED_OUT, timedOut.text());
      case EndCause.OverLimit over ->
          new SessionEnd(answered ? Outcome.COMPLETED : Outcome.FAILED, over.text());
      case EndCause.Fenced fenced -> interrupted(fenced, answered);
      case EndCause.Lost lost -> interrupted(lost, answered);
      case EndCause.Interrupted interrupted -> interrupted(interrupted, answered);
    };
  }

  private static SessionEnd exited(AgentAnswer answer, @Nullable String refusal) {
    return switch (answer) {
      case AgentAnswer.Complete complete -> new SessionEnd(Outcome.COMPLETED, null);
      case AgentAnswer.Broken broken when refusal != null ->
          new SessionEnd(Outcome.INTERRUPTED, refusal + "; " + broken.reason());
      case AgentAnswer.Broken broken -> new SessionEnd(Outcome.FAILED, broken.reason());
    };
  }

  private static SessionEnd interrupted(EndCause cause, boolean answered) {
    return answered
        ? new SessionEnd(Outcome.COMPLETED, null)
        : new SessionEnd(Outcome.INTERRUPTED, cause.text());
  }
}
