package dev.flyball.tracker.text;

import java.nio.charset.StandardCharsets;

/** Text cut to a number of UTF-8 bytes, with a mark where something was left out. */
public final class Bounded {
  /** Room that a mark may take, in bytes; every limit is larger. */
  static final int MARK_ROOM = 48;

  private Bounded() {}

  /**
   * The text itself if it fits, else its beginning and {@code [cut: n bytes left out]} on a
   * separate line, together at most the limit. A code point is never split.
   *
   * @param maxBytes of UTF-8, at least 64
   */
  public static String text(String text, int maxBytes) {
    return cut(text, maxBytes, "\n");
  }

  /** The same on one line, for titles. */
  public static String line(String text, int maxBytes) {
    return cut(text, maxBytes, " ");
  }

  private static String cut(String text, int maxBytes, String before) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    if (bytes.length <= maxBytes) {
      return text;
    }
    int kept = maxBytes - MARK_ROOM;
    while ((bytes[kept] & 0xC0) == 0x80) {
      kept--;
    }
    return new String(bytes, 0, kept, StandardCharsets.UTF_8).stripTrailing()
        + before
        + "[cut: "
        + (bytes.length - kept)
        + " bytes left out]";
  }
}
