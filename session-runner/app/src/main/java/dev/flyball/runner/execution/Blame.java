package dev.flyball.runner.execution;

import dev.flyball.runner.gate.RunnerFaults.Course;
import dev.flyball.runner.session.SessionEnd;

/** Decides what a session's end is charged to: the item, or this runner. Any thread. */
public interface Blame {
  /** Every end as it was classified. */
  Blame NONE = (session, end, course) -> end;

  /**
   * Takes an end before it is reported.
   *
   * @return the end as it is charged
   */
  SessionEnd charged(SessionHandle session, SessionEnd end, Course course);

  /**
   * Records how far a session came that goes on.
   *
   * @param spoke whether it used a token
   */
  default void works(SessionHandle session, boolean spoke) {}
}
