package dev.flyball.tracker.text;

import java.nio.charset.StandardCharsets;

/** Text cut to a number of UTF-8 bytes, with a mark where something was left out. */
public final class Bounded {
  /** Room that a mark may take, in bytes; every limit is larger. */
  static final int MARK_ROOM = 48;

  /** The least room, in bytes, in which a second text is worth its mark. */
  private static final int LEAST_ROOM = 256;

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

  /**
   * Two texts with a blank line between them, together at most the limit. The second one has the
   * room that the first one leaves; where that is too little for a few words it is left out.
   */
  public static String both(String first, String second, int maxBytes) {
    String whole = text(first, maxBytes);
    if (whole.isEmpty()) {
      return text(second, maxBytes);
    }
    int room = maxBytes - utf8(whole).length - 2;
    return room < LEAST_ROOM ? whole : whole + "\n\n" + text(second, room);
  }

  private static String cut(String text, int maxBytes, String before) {
    byte[] bytes = utf8(text);
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

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
