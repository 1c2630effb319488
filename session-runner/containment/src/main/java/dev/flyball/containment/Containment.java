package dev.flyball.containment;

import dev.flyball.containment.kill.Reaper;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * One way to hold a process tree. A runner finds out which ways work on its machine by running them
 * once at start-up.
 */
public interface Containment {

  /** The strength of a containment; the label goes to events, metrics, health and doctor. */
  enum Level {
    /** PID namespace per session. */
    A("A", 2),
    /** The same inside a cgroup v2 leaf with limits. */
    A_PLUS("A+", 3),
    /** Subreaper supervisor per session. */
    B("B", 1);

    private final String label;
    private final int strength;

    Level(String label, int strength) {
      this.label = label;
      this.strength = strength;
    }

    /** The name in records and metrics. */
    public String label() {
      return label;
    }

    /** Whether it is weaker than the other; A+ is stronger than A, though named after it. */
    public boolean weakerThan(Level other) {
      return strength < other.strength;
    }
  }

  /** The strength of this containment. */
  Level level();

  /** What this level has elsewhere and lacks here, one line each, for doctor and the log. */
  default List<String> missing() {
    return List.of();
  }

  /** Whether agents can reach the machine's network. */
  default boolean networked() {
    return true;
  }

  /**
   * Starts an agent. The deadman is armed before the agent is exec'ed, and does not exec it at or
   * after its deadline.
   *
   * <p>The deadline is a point in time and not a duration. Otherwise a runner that is frozen
   * between its reading of the clock and this call would grant the tree the time of the freeze.
   *
   * @param launch what to run
   * @param end time since boot ({@link BootClock}) until which the tree may live unless {@link
   *     ContainedProcess#extendTo} moves it
   * @throws IOException if the agent cannot be started and nothing of it runs; a {@link
   *     CannotStart} has the reason in {@code code()}. Whatever else is thrown, processes may live:
   *     see {@link #cleared}
   */
  ContainedProcess startUntil(Launch launch, Duration end) throws IOException;

  /**
   * Ends what is left by a start that failed after its first process may have existed. The caller
   * repeats it until nothing is left.
   *
   * @param session the session of the launch
   * @param limit how long to try and to verify
   * @return how many processes still live; at least one where that could not be verified
   */
  default int cleared(String session, Duration limit) {
    return Reaper.reapStart(session, limit).survivors();
  }

  /** Starts an agent for callers without a lease: the tree may live this long from now. */
  default ContainedProcess start(Launch launch, Duration life) throws IOException {
    return startUntil(launch, BootClock.sinceBoot().plus(life));
  }
}
