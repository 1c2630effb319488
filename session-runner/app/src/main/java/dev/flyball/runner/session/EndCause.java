package dev.flyball.runner.session;

import dev.flyball.contract.session.Failure;
import java.time.Duration;

/** Why a session ends; the first cause stays. */
public sealed interface EndCause {

  /** One line for a person. */
  String text();

  /** One word that logs carry and that does not change with the text. */
  default String kind() {
    return switch (this) {
      case Exited _ -> "exited";
      case StartFailed _ -> "start-failed";
      case TimedOut _ -> "timed-out";
      case OverLimit _ -> "over-limit";
      case Broken _ -> "broken";
      case Unwanted _ -> "unwanted";
      case Fenced _ -> "fenced";
      case Lost _ -> "lost";
      case Interrupted _ -> "interrupted";
    };
  }

  /** Whether the tree is killed without a gentle ladder, because the lease may be over. */
  default boolean atOnce() {
    return this instanceof Fenced || this instanceof Lost;
  }

  /** The agent ended by itself. */
  record Exited() implements EndCause {
    @Override
    public String text() {
      return "the agent ended";
    }
  }

  /**
   * The agent could not be started: a fault of the runner or of its settings, which every item
   * would meet here.
   *
   * @param code the code of its {@link dev.flyball.contract.session.Failure}
   */
  record StartFailed(String code, String text) implements EndCause {}

  /**
   * One of the session's clocks ran out.
   *
   * @param seen the lines that its agent had written until then
   */
  record TimedOut(Clock clock, Duration limit, Vitals.Lines seen) implements EndCause {
    @Override
    public String text() {
      String text = clock.text + " " + seconds(limit);
      return switch (clock) {
        case IDENTIFY, STALL -> text + "; " + seen.text();
        case WALL, POST_RESULT -> text;
      };
    }
  }

  /** The session wrote, forked or spent more than it may. */
  record OverLimit(Failure failure, String text) implements EndCause {}

  /** The runner cannot continue the session, because of a fault of the runner itself. */
  record Broken(String text) implements EndCause {
    /**
     * The failure for triage-stream, which may retry: on another runner, or later, the session may
     * succeed.
     */
    public static final Failure FAILURE = new Failure(Failure.Kind.TRANSIENT, "runner-fault");
  }

  /** The session's request changed or was deleted. */
  record Unwanted(String text) implements EndCause {}

  /** The session's lease can no longer be shown to hold. */
  record Fenced() implements EndCause {
    @Override
    public String text() {
      return "ended: Kafka confirmed no renewal of its lease in time";
    }
  }

  /** The session's lease has ended in the ledger, or the ledger can no longer be trusted. */
  record Lost(String text) implements EndCause {}

  /** The runner shuts down, or the claim took effect too late, or a budget is spent. */
  record Interrupted(String text) implements EndCause {}

  /** The clocks that can end a session. */
  enum Clock {
    IDENTIFY("not-identified", "not identified within"),
    STALL("silent", "silent for"),
    WALL("wall-clock", "wall clock of"),
    POST_RESULT("after-result", "still running after its result for");

    private final String code;
    private final String text;

    Clock(String code, String text) {
      this.code = code;
      this.text = text;
    }

    /** The code of the failure when it runs out. */
    String code() {
      return code;
    }
  }

  private static String seconds(Duration limit) {
    return limit.toMillis() % 1000 == 0 ? limit.toSeconds() + " s" : limit.toMillis() + " ms";
  }
}
