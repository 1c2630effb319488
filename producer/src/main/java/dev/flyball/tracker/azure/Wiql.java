package dev.flyball.tracker.azure;

import dev.flyball.tracker.QueryOutline;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The condition of a configured query. Flyball writes the rest of the query: the selected fields,
 * the order, and the window of changes.
 *
 * @param condition the text after WHERE, empty if there is none
 */
record Wiql(String condition) {
  /** Azure DevOps takes queries of 32,000 characters; what is added has up to 2,000. */
  static final int MOST = 30_000;

  private static final Pattern LITERALS = Pattern.compile("'[^']*'|\"[^\"]*\"|\\[[^\\]]*\\]");

  /** A name of several parts, a macro or a number is one word. */
  private static final String BEGIN = "(?is)(?<![\\w.@])";

  private static final String END = "(?![\\w.@])";
  private static final Pattern FROM =
      Pattern.compile("(?is)\\s*SELECT" + END + ".*?" + BEGIN + "FROM" + END + "\\s*(\\w*)");
  private static final Pattern WHERE = Pattern.compile(BEGIN + "WHERE" + END);
  private static final Pattern ORDER = Pattern.compile(BEGIN + "ORDER\\s+BY" + END);

  /** Clauses, which a literal or brackets follow; fields may have these names. */
  private static final Pattern OTHERS = Pattern.compile(BEGIN + "(ASOF|MODE)\\s*#");

  /**
   * Reads a flat query.
   *
   * @throws IllegalArgumentException with what is wrong with it and what to write instead
   */
  static Wiql parse(String query) {
    String outline = QueryOutline.of(query, LITERALS);
    Matcher from = FROM.matcher(outline);
    if (!from.lookingAt()) {
      throw QueryOutline.refused(
          "is not SELECT ... FROM WorkItems WHERE ...; copy it from the query's editor");
    }
    if (from.group(1).equalsIgnoreCase("WorkItemLinks")) {
      throw QueryOutline.refused(
          "asks for links (FROM WorkItemLinks); ask for items (FROM WorkItems)");
    }
    if (!from.group(1).equalsIgnoreCase("WorkItems")) {
      throw QueryOutline.refused("does not read FROM WorkItems");
    }
    Matcher other = OTHERS.matcher(outline);
    if (other.find(from.end())) {
      throw QueryOutline.refused(
          "has the clause "
              + other.group(1).toUpperCase(Locale.ROOT)
              + ", but items are read as they are now; leave it out");
    }
    Matcher where = WHERE.matcher(outline);
    if (!where.find(from.end())) {
      return new Wiql("");
    }
    Matcher order = ORDER.matcher(outline);
    int end = order.find(from.end()) ? order.start() : query.length();
    String condition = where.end() <= end ? query.substring(where.end(), end).strip() : "";
    if (condition.isEmpty()) {
      throw QueryOutline.refused("has no condition after WHERE");
    }
    if (condition.length() > MOST) {
      throw QueryOutline.refused(
          "has a condition of "
              + condition.length()
              + " characters, more than "
              + MOST
              + "; shorten it");
    }
    return new Wiql(condition);
  }

  /**
   * The query for items that changed in a window, the oldest change first. An item that changes
   * meanwhile moves to a window that is still to be read, never to one that was read.
   */
  String changedIn(ChangedWindow window, List<String> fields) {
    var conditions = new ArrayList<String>();
    if (!condition.isEmpty()) {
      conditions.add("(" + condition + ")");
    }
    if (window.begin() != null) {
      conditions.add("[System.ChangedDate] >= '" + window.begin() + "'");
    }
    if (window.end() != null) {
      conditions.add("[System.ChangedDate] < '" + window.end() + "'");
    }
    return select(fields)
        + (conditions.isEmpty() ? "" : " WHERE " + String.join(" AND ", conditions))
        + " ORDER BY [System.ChangedDate], [System.Id]";
  }

  /** The query for items by their ids, whatever the condition says. */
  static String byId(List<Long> ids, List<String> fields) {
    String list = ids.stream().map(String::valueOf).collect(Collectors.joining(", "));
    return select(fields) + " WHERE [System.Id] IN (" + list + ") ORDER BY [System.Id]";
  }

  private static String select(List<String> fields) {
    return fields.stream().collect(Collectors.joining("], [", "SELECT [", "] FROM WorkItems"));
  }
}
