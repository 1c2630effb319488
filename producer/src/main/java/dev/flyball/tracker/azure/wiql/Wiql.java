package dev.flyball.tracker.azure.wiql;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The condition of a configured query. Flyball writes the rest of the query: the selected fields,
 * the order, and the window of changes.
 *
 * @param condition the text after WHERE, empty if there is none
 */
public record Wiql(String condition) {
  /** Azure DevOps takes queries of 32,000 characters; what is added has up to 2,000. */
  static final int MOST = 30_000;

  /**
   * Reads a flat query.
   *
   * @throws IllegalArgumentException with what is wrong with it and what to write instead
   */
  public static Wiql parse(String query) {
    try {
      return read(query);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("query: " + e.getMessage(), e);
    }
  }

  private static Wiql read(String query) {
    List<WiqlWord> words = WiqlWord.outermost(query);
    int from = indexOf("FROM", words, 0);
    if (words.isEmpty() || !words.getFirst().text().equals("SELECT") || from < 0) {
      throw new IllegalArgumentException(
          "it is not SELECT ... FROM WorkItems WHERE ...; copy it from the query's editor");
    }
    String table = from + 1 < words.size() ? words.get(from + 1).text() : "";
    if (table.equals("WORKITEMLINKS")) {
      throw new IllegalArgumentException(
          "it asks for links (FROM WorkItemLinks); ask for items (FROM WorkItems)");
    }
    if (!table.equals("WORKITEMS")) {
      throw new IllegalArgumentException("it does not read FROM WorkItems");
    }
    return new Wiql(condition(query, words, from + 2));
  }

  private static String condition(String query, List<WiqlWord> words, int next) {
    int where = indexOf("WHERE", words, next);
    int end = query.length();
    for (int i = next; i < words.size(); i++) {
      switch (clause(query, words, i)) {
        case "ORDER BY" -> end = Math.min(end, words.get(i).start());
        case "ASOF" ->
            throw new IllegalArgumentException(
                "it asks for the past (ASOF), changes are read as they are now; leave ASOF out");
        case "MODE" ->
            throw new IllegalArgumentException(
                "MODE belongs to queries for links; ask for items (FROM WorkItems)");
        default -> {}
      }
    }
    if (where < 0) {
      return "";
    }
    int start = words.get(where).end();
    String condition = start <= end ? query.substring(start, end).strip() : "";
    if (condition.isEmpty()) {
      throw new IllegalArgumentException("its WHERE has no condition");
    }
    if (condition.length() > MOST) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "its condition has %d characters, more than %d; shorten it",
              condition.length(),
              MOST));
    }
    return condition;
  }

  /**
   * Which clause begins at a word: a field may have a clause's name and be written without
   * brackets.
   */
  private static String clause(String query, List<WiqlWord> words, int i) {
    WiqlWord word = words.get(i);
    String rest = query.substring(word.end()).stripLeading();
    return switch (word.text()) {
      case "ORDER" ->
          i + 1 < words.size() && words.get(i + 1).text().equals("BY") ? "ORDER BY" : "";
      case "ASOF" -> rest.startsWith("'") || rest.startsWith("\"") ? "ASOF" : "";
      case "MODE" -> rest.startsWith("(") ? "MODE" : "";
      default -> "";
    };
  }

  private static int indexOf(String text, List<WiqlWord> words, int first) {
    for (int i = first; i < words.size(); i++) {
      if (words.get(i).text().equals(text)) {
        return i;
      }
    }
    return -1;
  }

  /**
   * The query for items that changed in a window, the oldest change first. An item that changes
   * meanwhile moves to a window that is still to be read, never to one that was read.
   */
  public String changedIn(ChangedWindow window, List<String> fields) {
    var conditions = new ArrayList<String>();
    if (!condition.isEmpty()) {
      conditions.add("(" + condition + ")");
    }
    window.from().ifPresent(from -> conditions.add("[System.ChangedDate] >= '" + from + "'"));
    window.to().ifPresent(to -> conditions.add("[System.ChangedDate] < '" + to + "'"));
    return select(fields)
        + (conditions.isEmpty() ? "" : " WHERE " + String.join(" AND ", conditions))
        + " ORDER BY [System.ChangedDate], [System.Id]";
  }

  /** The query for items by their ids, whatever the condition says. */
  public static String byId(List<Long> ids, List<String> fields) {
    String list = ids.stream().map(String::valueOf).collect(Collectors.joining(", "));
    return select(fields) + " WHERE [System.Id] IN (" + list + ") ORDER BY [System.Id]";
  }

  private static String select(List<String> fields) {
    return fields.stream().collect(Collectors.joining("], [", "SELECT [", "] FROM WorkItems"));
  }

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
}
