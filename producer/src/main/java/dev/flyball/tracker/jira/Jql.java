package dev.flyball.tracker.jira;

import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The query sent to Jira: the configured query, narrowed to what changed, oldest change first.
 * Pure.
 *
 * <p>Times are written as milliseconds since 1970, without quotes. A date in quotes is read in the
 * time zone of the account that asks, which is not known here, and the query would miss the changes
 * of some hours. Sources: Atlassian, "JQL Date Time Formats"; airbytehq/airbyte#48395 and
 * onyx-dot-app/onyx#14114, which switched to milliseconds for that reason.
 *
 * @param condition without ORDER BY
 */
record Jql(String condition) {
  private static final Pattern ORDER = Pattern.compile("(?i)order\\s+by\\b");

  /**
   * Reads a configured query; its order, if it has one, is dropped.
   *
   * @throws IllegalArgumentException if no condition can be added to it
   */
  static Jql of(String configured) {
    Matcher order = ORDER.matcher(configured);
    int open = 0;
    int at = 0;
    while (at < configured.length()) {
      char c = configured.charAt(at);
      if (c == '"' || c == '\'') {
        at = closing(configured, at);
      } else if (c == '(') {
        open++;
      } else if (c == ')' && --open < 0) {
        throw refused("closes a bracket that it did not open; remove it");
      } else if (open == 0
          && startsWord(configured, at)
          && order.region(at, configured.length()).lookingAt()) {
        return bounded(configured.substring(0, at));
      }
      at++;
    }
    if (open > 0) {
      throw refused("does not close its brackets; close them");
    }
    return bounded(configured);
  }

  /** The query for changes from this time on; null for all that it finds. */
  String text(@Nullable Instant since) {
    return ordered(since == null ? "" : " AND updated >= " + since.toEpochMilli());
  }

  /** The query for changes from one time to before another. */
  String between(Instant from, Instant to) {
    return ordered(
        " AND updated >= " + from.toEpochMilli() + " AND updated < " + to.toEpochMilli());
  }

  private String ordered(String changed) {
    return "(" + condition + ")" + changed + " ORDER BY updated ASC";
  }

  private static int closing(String text, int opening) {
    for (int at = opening + 1; at < text.length(); at++) {
      if (text.charAt(at) == '\\') {
        at++;
      } else if (text.charAt(at) == text.charAt(opening)) {
        return at;
      }
    }
    throw refused("does not close its quotes; close them");
  }

  private static boolean startsWord(String text, int at) {
    return at == 0 || !Character.isUnicodeIdentifierPart(text.charAt(at - 1));
  }

  private static Jql bounded(String condition) {
    if (condition.isBlank()) {
      throw refused("has no condition, which Jira does not allow; name a project");
    }
    return new Jql(condition.strip());
  }

  private static IllegalArgumentException refused(String why) {
    return new IllegalArgumentException("the query " + why);
  }
}
