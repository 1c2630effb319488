package dev.flyball.runner.execution;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The process trees that live on this runner's machine: its own from before an agent's start until
 * nothing of them was seen to be left, and what is left of earlier runners' sessions. A lease says
 * less, since it is open before a start and after an end, or for a session whose runner died. Any
 * thread.
 */
public final class LiveTrees {
  /** How often a tree that cannot be ended is reported while it lasts. */
  private static final long REPORT_NANOS = Duration.ofMinutes(10).toNanos();

  private final Set<String> live = new HashSet<>();
  private final Set<String> hanging = new HashSet<>();
  private final Map<String, Unkillable> unkillable = new HashMap<>();
  private int most;
  private long spawned;

  private record Unkillable(int processes, long reportedAt) {}

  /** Most that lived at one time, since this runner started. */
  public synchronized int most() {
    return most;
  }

  /** How many were started since this runner started. */
  public synchronized long spawned() {
    return spawned;
  }

  /** Starts that were given up and still hang on a repository, a disk or a fork. */
  public synchronized int hanging() {
    return hanging.size();
  }

  synchronized void hanging(String session) {
    hanging.add(session);
  }

  /** The start of this session hangs no longer, if it did. */
  synchronized void answered(String session) {
    hanging.remove(session);
  }

  /** A tree may be there from now on. How many there are, with it. */
  synchronized int starting(String session) {
    live.add(session);
    return live.size();
  }

  /**
   * It is there; {@code beside} is what {@link #starting} returned: one of those may have ended
   * since.
   */
  synchronized void started(int beside) {
    most = Math.max(most, beside);
    spawned++;
  }

  /**
   * Processes of a session could not be ended.
   *
   * @param processes how many live; at least one, also where nothing could be verified
   * @return whether this has to be reported: for the first time, or after ten minutes again
   */
  public synchronized boolean unkillable(String session, int processes, long nowNanos) {
    Unkillable known = unkillable.get(session);
    long reportedAt =
        known == null || nowNanos - known.reportedAt() >= REPORT_NANOS
            ? nowNanos
            : known.reportedAt();
    unkillable.put(session, new Unkillable(processes, reportedAt));
    return known == null || reportedAt != known.reportedAt();
  }

  /** Processes that could not be ended, of all sessions together. */
  public synchronized int survivors() {
    return unkillable.values().stream().mapToInt(Unkillable::processes).sum();
  }

  /**
   * Nothing of it is left, or it never began; repeated calls do nothing.
   *
   * @return whether processes of it could not be ended before
   */
  public synchronized boolean gone(String session) {
    live.remove(session);
    return unkillable.remove(session) != null;
  }
}
