package dev.flyball.tracker.text;

/**
 * Escape sequences of terminals, which are frequent in pasted logs. Without its first, invisible
 * character a sequence would stay as litter such as {@code [31m}.
 */
final class Escapes {
  private static final char ESCAPE = 0x1B;
  private static final char BELL = 0x07;

  /** A control sequence introducer in one character. */
  private static final char CSI = 0x9B;

  /**
   * Longest command string searched for its end, in characters: a longer one is text after a stray
   * escape.
   */
  private static final int MOST = 2_048;

  private Escapes() {}

  /**
   * The index after the character at {@code index}, or after the whole sequence that begins there.
   */
  static int after(String text, int index, int c) {
    int next = index + Character.charCount(c);
    if (c == CSI) {
      return control(text, next, next);
    }
    if (c != ESCAPE || next == text.length()) {
      return next;
    }
    return switch (text.charAt(next)) {
      case '[' -> control(text, next + 1, next);
      case ']', 'P', 'X', '^', '_' -> string(text, next + 1, next);
      default -> next;
    };
  }

  /**
   * Parameters, then one final letter; {@code otherwise} if there is none. The standard also allows
   * a space, but logs do not contain it, and a stray escape may stand before a space and a word.
   */
  private static int control(String text, int from, int otherwise) {
    int end = from;
    while (end < text.length() && text.charAt(end) > 0x20 && text.charAt(end) <= 0x3F) {
      end++;
    }
    boolean complete = end < text.length() && text.charAt(end) >= 0x40 && text.charAt(end) <= 0x7E;
    return complete ? end + 1 : otherwise;
  }

  /**
   * The index after a string that ends with a bell, or with an escape and a backslash; {@code
   * otherwise} if neither comes.
   */
  private static int string(String text, int from, int otherwise) {
    int limit = Math.min(text.length(), from + MOST);
    for (int end = from; end < limit; end++) {
      char c = text.charAt(end);
      if (c == BELL) {
        return end + 1;
      }
      if (c == ESCAPE) {
        return end + 1 < text.length() && text.charAt(end + 1) == '\\' ? end + 2 : otherwise;
      }
    }
    return otherwise;
  }
}
