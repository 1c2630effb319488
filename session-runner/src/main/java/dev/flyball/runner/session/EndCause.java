package dev.flyball.runner.session;

import dev.flyball.contract.session.Failure;
import java.time.Duration;

/** Why a session ends; the first cause stays. */
public sealed interface EndCause {

  /** One line for a person. */
  String text();

  /**
   * Whether the tree is killed without a gentle ladder: nobody waits for one whose lease may be
   * over.
   */
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
   * It could not be started.
   *
   * @param code of its {@link dev.flyball.contract.session.Failure}
   */
  record StartFailed(String code, String reason) implements EndCause {
    @Override
    public String text() {
      return reason;
    }
  }

  /** A clock of the session's own ran out. */
  record TimedOut(Clock clock, Duration limit) implements EndCause {
    @Override
    public String text() {
      return clock.text + " " + seconds(limit);
    }
  }

  /** It wrote, forked or spent more than it may. */
  record OverLimit(Failure failure, String what) implements EndCause {
    @Override
    public String text() {
      return what;
    }
  }

  /** The runner can go on with it no longer, by a fault of the runner itself. */
  record Broken(String reason) implements EndCause {
    /** What it is to triage-stream: another runner, or another time, may do. */
    public static final Failure FAILURE = new Failure(Failure.Kind.TRANSIENT, "runner-fault");

    @Override
    public String text() {
      return reason;
    }
  }

  /** Its request changed or went away. */
  record Unwanted(String reason) implements EndCause {
    @Override
    public String text() {
      return reason;
    }
  }

  /** Its lease can no longer be shown to hold. */
  record Fenced() implements EndCause {
    @Override
    public String text() {
      return "lease fence: no renewal was confirmed in time";
    }
  }

  /** Its lease is over in the ledger, or the ledger can no longer be believed. */
  record Lost(String reason) implements EndCause {
    @Override
    public String text() {
      return reason;
    }
  }

  /** The runner shuts down, or the claim came too late to be used. */
  record Interrupted(String reason) implements EndCause {
    @Override
    public String text() {
      return reason;
    }
  }

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
