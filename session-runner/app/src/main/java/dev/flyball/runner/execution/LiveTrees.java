package dev.flyball.runner.execution;

import dev.flyball.ops.telemetry.Health;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The process trees that live on this runner's machine. Own trees are in it from before an agent's
 * start until they were seen to have no process left. The processes left of earlier runners'
 * sessions are in it too.
 *
 * <p>A lease is less exact: it is open before a start and after an end, or for a session whose
 * runner died. Any thread.
 */
public final class LiveTrees {
  /** Kafka may be away while a tree is reported, and the console forgets it after an hour. */
  private static final long REPORT_NANOS = Duration.ofMinutes(10).toNanos();

  /** The processes of each tree, as last counted. */
  private final Map<String, Integer> live = new HashMap<>();

  private final Set<String> hanging = new HashSet<>();
  private final Map<String, Unkillable> unkillable = new HashMap<>();
  private int most;
  private long spawned;

  private record Unkillable(int processes, long reportedAt) {}

  /** The largest number that lived at one time, since this runner started. */
  public synchronized int most() {
    return most;
  }

  /** How many agents were started since this runner started. */
  public synchronized long spawned() {
    return spawned;
  }

  /** Processes of all trees that live, as last counted; any thread. */
  public synchronized int processes() {
    return live.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** Records how many processes a tree has; a tree that has ended stays ended. */
  synchronized void counted(String session, int processes) {
    live.replace(session, processes);
  }

  /** Starts that were given up and still hang on a repository, a disk or a fork. */
  public synchronized int hanging() {
    return hanging.size();
  }

  /** Whether the start of this session was given up and still hangs. */
  public synchronized boolean hangs(String session) {
    return hanging.contains(session);
  }

  synchronized void hanging(String session) {
    hanging.add(session);
  }

  /** Records that the start of this session no longer hangs, if it did. */
  synchronized void answered(String session) {
    hanging.remove(session);
  }

  /** Records that a tree may exist from now on. Returns how many there are, with it. */
  public synchronized int starting(String session) {
    live.put(session, 0);
    return live.size();
  }

  /**
   * Records that the tree exists. {@code beside} is what {@link #starting} returned; one of those
   * trees may have ended since.
   */
  public synchronized void started(int beside) {
    most = Math.max(most, beside);
    spawned++;
  }

  /**
   * Records that processes of a session could not be ended.
   *
   * @param processes how many live; at least one, also where nothing could be verified
   * @return whether to report it: the first time, and every ten minutes while they live
   */
  public synchronized boolean unkillable(String session, int processes, long nowNanos) {
    Unkillable known = unkillable.get(session);
    if (known != null && nowNanos - known.reportedAt() < REPORT_NANOS) {
      unkillable.put(session, new Unkillable(processes, known.reportedAt()));
      return false;
    }
    unkillable.put(session, new Unkillable(processes, nowNanos));
    return true;
  }

  /** Processes that could not be ended, of all sessions together. */
  public synchronized int survivors() {
    return unkillable.values().stream().mapToInt(Unkillable::processes).sum();
  }

  /** Degraded while processes of ended sessions cannot be ended. */
  public Health health() {
    int left = survivors();
    return left == 0
        ? Health.healthy()
        : Health.degraded(
            "survivors",
            left
                + " processes of ended sessions cannot be ended; end them by hand, or restart the"
                + " machine");
  }

  /**
   * Records that nothing of the session's tree is left, or that it never began; repeated calls do
   * nothing.
   *
   * @return whether some of its processes could not be ended before
   */
  public synchronized boolean gone(String session) {
    live.remove(session);
    return unkillable.remove(session) != null;
  }
}
