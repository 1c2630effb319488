package dev.flyball.tracker;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A configured query in which only the words of its clauses are left, so that a condition can be
 * added to it. Pure.
 */
public final class QueryOutline {
  private static final Pattern BRACKETS = Pattern.compile("\\([^()]*\\)");
  private static final Pattern BRACKET = Pattern.compile("[()]");
  private static final Pattern OPEN_LITERAL = Pattern.compile("['\"\\[]");

  private QueryOutline() {}

  /**
   * The query with each literal, name and bracket replaced by as many {@code #}.
   *
   * @param literals the literals and names of its language
   * @throws IllegalArgumentException if a quote or bracket is not closed, or closes nothing: what
   *     is added would be read in another way than it is meant
   */
  public static String of(String query, Pattern literals) {
    String outline = blanked(query, literals);
    refuse(OPEN_LITERAL, outline);
    while (BRACKETS.matcher(outline).find()) {
      outline = blanked(outline, BRACKETS);
    }
    refuse(BRACKET, outline);
    return outline;
  }

  private static void refuse(Pattern alone, String outline) {
    Matcher found = alone.matcher(outline);
    if (found.find()) {
      throw refused(
          "has a " + found.group() + " at character " + (found.start() + 1) + " without its other");
    }
  }

  private static String blanked(String query, Pattern parts) {
    return parts.matcher(query).replaceAll(part -> "#".repeat(part.group().length()));
  }

  /** Why a query cannot be used. */
  public static IllegalArgumentException refused(String why) {
    return new IllegalArgumentException("query: it " + why);
  }
}
