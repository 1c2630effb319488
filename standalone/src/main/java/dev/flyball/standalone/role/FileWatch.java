package dev.flyball.standalone.role;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Decides from looks at a file when there is something to read: once the same new content was seen
 * by two looks in a row, because an editor may be in the middle of writing it, and half a file may
 * well be a valid one with half the sources. Editors also take a file away for a moment to replace
 * it; only one that stays away is gone. One thread at a time.
 */
final class FileWatch {
  /** Looks in a row without the file until it counts as gone. */
  static final int GONE_AFTER = 3;

  /** What a look means. */
  enum Sight {
    /** Nothing is to be done. */
    SAME,
    /** There is other content than that which was read last, and it stands. */
    CHANGED,
    /** The file is gone for good, as it seems. */
    GONE
  }

  /** What was read last; null before the first time. */
  private @Nullable String read;

  /** What the look before saw. */
  private @Nullable String seen;

  private int absent;

  /** What was read last did not count: the next look finds it changed once more. */
  void again() {
    read = null;
  }

  /**
   * Takes a look into account.
   *
   * @param content a digest of the whole file; null if there is none
   */
  Sight saw(@Nullable String content) {
    boolean stands = Objects.equals(content, seen);
    seen = content;
    if (content == null) {
      boolean gone = read != null && ++absent == GONE_AFTER;
      if (gone) {
        // The same content again is then news, too: it ends the trouble.
        read = null;
      }
      return gone ? Sight.GONE : Sight.SAME;
    }
    absent = 0;
    if (!stands || content.equals(read)) {
      return Sight.SAME;
    }
    read = content;
    return Sight.CHANGED;
  }
}
