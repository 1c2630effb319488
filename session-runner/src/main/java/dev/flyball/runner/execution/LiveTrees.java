package dev.flyball.runner.execution;

import java.util.HashSet;
import java.util.Set;

/**
 * The process trees of this runner that live: from before an agent's start until nothing of its
 * tree was seen to be left. A lease says less, since it is open before a start and after an end, or
 * for a session whose runner died. Any thread.
 */
public final class LiveTrees {
  private final Set<String> live = new HashSet<>();
  private final Set<String> hanging = new HashSet<>();
  private int most;

  /** Most that lived at one time, since this runner started. */
  public synchronized int most() {
    return most;
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
   * It is there; {@code beside} is what {@link #starting} said: one of those may have ended since.
   */
  synchronized void started(int beside) {
    most = Math.max(most, beside);
  }

  /** Nothing of it is left, or it never began; repeated calls do nothing. */
  synchronized void gone(String session) {
    live.remove(session);
  }
}
