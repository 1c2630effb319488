package dev.flyball.runner.process;

import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * One way of owning a process tree. Which ones work here is found by running them once at start-up.
 */
public interface Containment {

  /** How strong it is; the label goes to events, metrics, health and doctor. */
  enum Level {
    /** PID namespace per session. */
    A("A"),
    /** The same inside a cgroup v2 leaf with limits. */
    A_PLUS("A+"),
    /** Subreaper supervisor per session. */
    B("B");

    private final String label;

    Level(String label) {
      this.label = label;
    }

    /** The word on the wire. */
    public String label() {
      return label;
    }

    /** Whether it holds less; A+ holds more than A, though named after it. */
    public boolean weakerThan(Level other) {
      return strength() < other.strength();
    }

    private int strength() {
      return switch (this) {
        case A_PLUS -> 3;
        case A -> 2;
        case B -> 1;
      };
    }
  }

  /** How strong this one is. */
  Level level();

  /** What this level has elsewhere and lacks here, one line each, for doctor and the log. */
  default List<String> missing() {
    return List.of();
  }

  /** Whether agents reach the machine's network. */
  default boolean networked() {
    return true;
  }

  /**
   * Starts an agent. The deadman is armed before the agent is exec'ed, and refuses to exec at or
   * after its deadline.
   *
   * <p>The deadline is a point in time and no length: a runner that is frozen between its look at
   * the clock and this call would otherwise grant the tree the time that it was frozen for.
   *
   * @param launch what to run
   * @param end time since boot ({@link BootClock}) until which the tree may live unless {@link
   *     ContainedProcess#extendTo} moves it
   * @throws IOException if it cannot be started and nothing of it runs; a {@link CannotStart} says
   *     why in {@code reason()}. Whatever else is thrown, processes may live: see {@link #cleared}
   */
  ContainedProcess startUntil(Launch launch, Duration end) throws IOException;

  /**
   * Ends what a start left that failed after its first process may have been there. Repeated by the
   * caller until nothing is left.
   *
   * @param session of the launch
   * @param limit how long to try and to verify
   * @return how many processes live on; at least one where that could not be verified
   */
  default int cleared(String session, Duration limit) {
    return Reaper.reapStart(session, limit).survivors();
  }

  /** As {@link #startUntil}, for callers without a lease: the tree may live this long from now. */
  default ContainedProcess start(Launch launch, Duration life) throws IOException {
    return startUntil(launch, BootClock.sinceBoot().plus(life));
  }
}
