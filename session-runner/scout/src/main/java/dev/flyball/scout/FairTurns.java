package dev.flyball.scout;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Folders that wait to be read, handed out so that each folder at the top gets its turn and the
 * shallow ones come first. A listing that ends early then has a part of every top-level folder, not
 * all of the first one by name.
 *
 * @param <T> a folder
 */
final class FairTurns<T> {
  private final Deque<Deque<T>> waiting = new ArrayDeque<>();
  private Deque<T> current = new ArrayDeque<>();
  private int turns;

  FairTurns(T root) {
    add(root);
  }

  /** The folder whose turn it is; null if none waits. */
  @Nullable T next() {
    if (!current.isEmpty()) {
      waiting.addLast(current);
    }
    Deque<T> next = waiting.pollFirst();
    if (next == null) {
      return null;
    }
    turns++;
    current = next;
    return current.poll();
  }

  /** Adds a folder found in the one that was handed out last. */
  void add(T inner) {
    if (turns > 1) {
      current.addLast(inner);
    } else {
      Deque<T> own = new ArrayDeque<>();
      own.addLast(inner);
      waiting.addLast(own);
    }
  }
}
