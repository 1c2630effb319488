package dev.flyball.program.roles;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Decides from repeated checks of a file when to read it: once two checks in a row saw the same new
 * content. An editor may be in the middle of writing, and half a file may be a valid one with half
 * the sources. Editors also remove a file for a moment to replace it, so it counts as deleted only
 * if it stays away. One thread at a time.
 */
final class FileWatch {
  /** Checks in a row without the file until it counts as deleted. */
  static final int GONE_AFTER = 3;

  /** What a check means. */
  enum Sight {
    /** Nothing to do. */
    SAME,
    /** Content other than that read last, seen by two checks in a row. */
    CHANGED,
    /** The file is deleted, and not only for a moment. */
    GONE
  }

  /** What was read last; null before the first time. */
  private @Nullable String read;

  /** What the check before saw. */
  private @Nullable String seen;

  private int absent;

  /** What was read last was not applied: the next check reports it as changed again. */
  void again() {
    read = null;
  }

  /**
   * Records a check.
   *
   * @param content a digest of the whole file; null if there is none
   */
  Sight saw(@Nullable String content) {
    boolean stands = Objects.equals(content, seen);
    seen = content;
    if (content == null) {
      boolean gone = read != null && ++absent == GONE_AFTER;
      if (gone) {
        // The same content again is then a change, too: it ends the trouble.
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
