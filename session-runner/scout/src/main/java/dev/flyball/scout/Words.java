package dev.flyball.scout;

import java.util.Locale;

/**
 * Cuts text into words the way code is written: {@code parseRow}, {@code parse_row} and {@code
 * parse-row} are the words parse and row; the first two are also the whole name {@code parserow}.
 */
final class Words {
  /** Longer runs are encoded data, not words. */
  private static final int MAX_NAME = 80;

  private Words() {}

  /** Receives words and names, in order. */
  interface Sink {
    /**
     * Takes one word in lower case, on a line counted from 1; {@code first} if a name or a plain
     * word begins with it.
     */
    void word(String word, int line, boolean first);

    /** Takes a name of several words, joined in lower case; it follows its words. */
    void name(String joined, int line);
  }

  static void cut(String text, Sink sink) {
    int line = 1;
    int length = text.length();
    int at = 0;
    while (at < length) {
      char c = text.charAt(at);
      if (c == '\n') {
        line++;
      }
      if (!inName(c)) {
        at++;
        continue;
      }
      int end = at + 1;
      while (end < length && inName(text.charAt(end))) {
        end++;
      }
      if (end - at <= MAX_NAME) {
        cutName(text, at, end, line, sink);
      }
      at = end;
    }
  }

  private static void cutName(String text, int from, int to, int line, Sink sink) {
    int parts = 0;
    int start = from;
    for (int i = from; i <= to; i++) {
      if (i < to && !boundary(text, from, i, to)) {
        continue;
      }
      int first = start;
      while (first < i && separator(text.charAt(first))) {
        first++;
      }
      if (i > first) {
        sink.word(text.substring(first, i).toLowerCase(Locale.ROOT), line, parts == 0);
        parts++;
      }
      start = i;
    }
    if (parts > 1) {
      sink.name(joined(text.substring(from, to)), line);
    }
  }

  /** A name without its separators, in lower case. */
  static String joined(String name) {
    return name.replace("_", "").replace("$", "").toLowerCase(Locale.ROOT);
  }

  /**
   * Whether a new word begins at {@code i}: after a separator, at a hump, or before the last
   * capital of HTMLText.
   */
  private static boolean boundary(String text, int from, int i, int to) {
    if (i == from) {
      return false;
    }
    char c = text.charAt(i);
    char before = text.charAt(i - 1);
    if (separator(c)) {
      return true;
    }
    if (!Character.isUpperCase(c)) {
      return false;
    }
    return !Character.isUpperCase(before)
        || (i + 1 < to && Character.isLowerCase(text.charAt(i + 1)));
  }

  private static boolean inName(char c) {
    return c < 128
        ? (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || separator(c)
        : Character.isLetterOrDigit(c);
  }

  private static boolean separator(char c) {
    return c == '_' || c == '$';
  }
}
