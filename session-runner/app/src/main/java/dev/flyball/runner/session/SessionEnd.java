package dev.flyball.runner.session;

import dev.flyball.containment.ContainedProcess.Exit;
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
   * @param exit how the agent's process ended; null if none was started
   */
  public static SessionEnd classify(EndCause cause, AgentAnswer answer, @Nullable Exit exit) {
    boolean answered = answer instanceof AgentAnswer.Complete;
    return switch (cause) {
      case EndCause.Unwanted unwanted -> new SessionEnd(Outcome.CANCELLED, null, unwanted.text());
      case EndCause.Exited exited -> exited(answer, exit);
      case EndCause.StartFailed failed ->
          new SessionEnd(
              Outcome.INTERRUPTED, new Failure(Kind.RUNNER, failed.code()), failed.text());
      case EndCause.TimedOut timedOut ->
          switch (answer) {
            case AgentAnswer.Complete complete -> completed(timedOut.text());
            // It was silent because it waited for a provider or a network.
            case AgentAnswer.Broken broken when broken.blamesOthers() ->
                new SessionEnd(
                    Outcome.INTERRUPTED, broken.failure(), blame(broken) + "; " + timedOut.text());
            case AgentAnswer.Broken broken ->
                new SessionEnd(
                    Outcome.TIMED_OUT,
                    new Failure(Kind.TRANSIENT, timedOut.clock().code()),
                    timedOut.text());
          };
      case EndCause.OverLimit over ->
          answered ? completed(over.text()) : failed(over.failure(), over.text());
      case EndCause.Broken broken ->
          answered ? completed(broken.text()) : failed(EndCause.Broken.FAILURE, broken.text());
      case EndCause.Fenced _, EndCause.Lost _, EndCause.Interrupted _ ->
          answered ? completed(null) : new SessionEnd(Outcome.INTERRUPTED, null, cause.text());
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

  private static SessionEnd exited(AgentAnswer answer, @Nullable Exit exit) {
    return switch (answer) {
      case AgentAnswer.Complete complete -> completed(unusual(exit));
      case AgentAnswer.Broken broken when broken.blamesOthers() ->
          new SessionEnd(Outcome.INTERRUPTED, broken.failure(), blame(broken));
      case AgentAnswer.Broken broken -> failed(broken.failure(), broken.reason());
    };
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

  private static SessionEnd completed(@Nullable String reason) {
    return new SessionEnd(Outcome.COMPLETED, null, reason);
  }

  private static SessionEnd failed(Failure failure, String reason) {
    return new SessionEnd(Outcome.FAILED, failure, reason);
  }
}
