package dev.flyball.tracker.azure.wiql;

import java.util.ArrayList;
import java.util.List;

/**
 * One bare word of a query outside brackets and literals: a clause may begin there.
 *
 * @param text in upper case
 * @param start where it begins in the query
 * @param end index after its last character
 */
record WiqlWord(String text, int start, int end) {

  /**
   * The words of a query outside literals, field names and brackets.
   *
   * @throws IllegalArgumentException if a quote or bracket is not closed: the text after it would
   *     be read differently from what its author means
   */
  static List<WiqlWord> outermost(String query) {
    var words = new ArrayList<WiqlWord>();
    int depth = 0;
    int at = 0;
    while (at < query.length()) {
      char c = query.charAt(at);
      if (c == '\'' || c == '"') {
        at = closing(query, at, c) + 1;
      } else if (c == '[') {
        at = closing(query, at, ']') + 1;
      } else if (isPartOfWord(c)) {
        int end = at;
        while (end < query.length() && isPartOfWord(query.charAt(end))) {
          end++;
        }
        if (depth == 0) {
          words.add(
              new WiqlWord(query.substring(at, end).toUpperCase(java.util.Locale.ROOT), at, end));
        }
        at = end;
      } else {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (depth < 0) {
          throw new IllegalArgumentException("a ) at character " + (at + 1) + " closes nothing");
        }
        at++;
      }
    }
    if (depth > 0) {
      throw new IllegalArgumentException("a ( is not closed");
    }
    return words;
  }

  /**
   * Where a literal or name ends; a doubled quote is an escaped quote and reads as two literals.
   */
  private static int closing(String query, int open, char close) {
    int end = query.indexOf(close, open + 1);
    if (end < 0) {
      throw new IllegalArgumentException(
          "the " + query.charAt(open) + " at character " + (open + 1) + " is not closed");
    }
    return end;
  }

  /** A name of several parts, a macro or a number is one word. */
  private static boolean isPartOfWord(char c) {
    return Character.isLetterOrDigit(c) || c == '_' || c == '.' || c == '@';
  }
}
