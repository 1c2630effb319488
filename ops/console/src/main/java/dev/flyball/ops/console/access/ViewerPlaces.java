package dev.flyball.ops.console.access;

import java.util.HashMap;
import java.util.Map;

/**
 * A bounded number of places, for example of open streams, of which one viewer cannot take all: the
 * last quarter is kept for viewers who hold less than an eighth. Any thread.
 */
public final class ViewerPlaces {
  private final int most;

  /** How many places each viewer holds, by name; guarded by this object's monitor, as the sum. */
  private final Map<String, Integer> held = new HashMap<>();

  private int taken;

  /** All are free. */
  public ViewerPlaces(int most) {
    this.most = most;
  }

  /** Takes a place, which must be given back; returns false if none is free for this viewer. */
  public synchronized boolean take(Viewer viewer) {
    boolean withinShare = held.getOrDefault(viewer.name(), 0) < Math.max(1, most / 8);
    if (taken >= (withinShare ? most : most - most / 4)) {
      return false;
    }
    held.merge(viewer.name(), 1, Integer::sum);
    taken++;
    return true;
  }

  /** Gives a place back. */
  public synchronized void give(Viewer viewer) {
    held.computeIfPresent(viewer.name(), (name, count) -> count > 1 ? count - 1 : null);
    taken--;
  }
}
