package dev.flyball.program.run;

import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Which items belong to this run: those that changed in it, and those that an earlier run left
 * unfinished. An item that it found unchanged does not. Used by one thread.
 */
final class RunItems {
  /** Keys in the order in which they were first seen. */
  private final Set<String> seen = new LinkedHashSet<>();

  private final Set<String> changed = new HashSet<>();
  private final Set<String> leftOver = new HashSet<>();

  /** Whether an item was unfinished before this run; the last call decides. */
  void before(String key, boolean unfinished) {
    if (unfinished) {
      seen.add(key);
      leftOver.add(key);
    } else {
      leftOver.remove(key);
    }
  }

  /** A snapshot of it was published; triage decides whether it changed. */
  void published(String key) {
    seen.add(key);
  }

  /** Triage found that the item changed. */
  void changed(String key) {
    seen.add(key);
    changed.add(key);
  }

  /** This run's items, and those that may still become this run's. */
  Set<String> with(Set<String> open) {
    var all = new LinkedHashSet<>(seen);
    all.addAll(open);
    all.removeIf(
        Predicate.not(key -> open.contains(key) || changed.contains(key) || continued(key)));
    return all;
  }

  boolean hasChanged(String key) {
    return changed.contains(key);
  }

  /** Whether an earlier run left it unfinished, and it did not change since. */
  boolean continued(String key) {
    return leftOver.contains(key) && !changed.contains(key);
  }
}
