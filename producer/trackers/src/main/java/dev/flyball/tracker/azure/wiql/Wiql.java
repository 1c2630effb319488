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
}
