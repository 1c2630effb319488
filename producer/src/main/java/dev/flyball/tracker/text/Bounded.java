package dev.flyball.tracker.text;

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
    long room = maxBytes - utf8Length(whole) - 2;
    return room < LEAST_ROOM ? whole : whole + "\n\n" + text(second, (int) room);
  }

  private static String cut(String text, int maxBytes, String before) {
    long size = utf8Length(text);
    if (size <= maxBytes) {
      return text;
    }
    int kept = 0;
    int index = 0;
    while (index < text.length()) {
      int codePoint = text.codePointAt(index);
      int bytes = utf8Length(codePoint);
      if (kept + bytes > maxBytes - MARK_ROOM) {
        break;
      }
      kept += bytes;
      index += Character.charCount(codePoint);
    }
    return text.substring(0, index).stripTrailing()
        + before
        + "[cut: "
        + (size - kept)
        + " bytes left out]";
  }

  /**
   * How many bytes of UTF-8 the text takes; a lone surrogate counts as the question mark it
   * becomes.
   */
  static long utf8Length(String text) {
    long bytes = 0;
    int index = 0;
    while (index < text.length()) {
      int codePoint = text.codePointAt(index);
      bytes += utf8Length(codePoint);
      index += Character.charCount(codePoint);
    }
    return bytes;
  }

  private static int utf8Length(int codePoint) {
    if (codePoint < 0x80 || (codePoint >= 0xD800 && codePoint <= 0xDFFF)) {
      return 1;
    }
    if (codePoint < 0x800) {
      return 2;
    }
    return codePoint < 0x10000 ? 3 : 4;
  }
}
