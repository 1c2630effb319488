package dev.flyball.runner.session;

/** The lifecycle of a session's process; only legal transitions exist as methods. */
public sealed interface SessionState {

  /** What is known of the session. */
  Vitals vitals();

  /** The same state with newer vitals. */
  SessionState with(Vitals vitals);

  /** The agent is started, and has not named its session. */
  record Starting(Vitals vitals) implements SessionState {
    Running identified() {
      return new Running(vitals, false);
    }

    Ending ending(EndCause cause) {
      return new Ending(vitals, cause);
    }

    @Override
    public Starting with(Vitals other) {
      return new Starting(other);
    }
  }

  /** The agent works; {@code hung} if it has been silent for long. */
  record Running(Vitals vitals, boolean hung) implements SessionState {
    Running hanging(boolean now) {
      return new Running(vitals, now);
    }

    Answered answered(long nowMs) {
      return new Answered(vitals, nowMs);
    }

    Ending ending(EndCause cause) {
      return new Ending(vitals, cause);
    }

    @Override
    public Running with(Vitals other) {
      return new Running(other, hung);
    }
  }

  /** The agent reported its result at {@code sinceMs}, and has not exited. */
  record Answered(Vitals vitals, long sinceMs) implements SessionState {
    Running workingOn() {
      return new Running(vitals, false);
    }

    Ending ending(EndCause cause) {
      return new Ending(vitals, cause);
    }

    @Override
    public Answered with(Vitals other) {
      return new Answered(other, sinceMs);
    }
  }

  /** The session's tree is being ended, or has ended. */
  record Ending(Vitals vitals, EndCause cause) implements SessionState {
    @Override
    public Ending with(Vitals other) {
      return new Ending(other, cause);
    }
  }
}
