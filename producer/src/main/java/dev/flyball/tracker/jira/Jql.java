package dev.flyball.tracker.jira;

import dev.flyball.tracker.QueryOutline;
import java.time.Instant;
import java.util.List;
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
  private static final Pattern LITERALS =
      Pattern.compile(
          "\"[^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+\"|'[^'\\\\]*+(?:\\\\.[^'\\\\]*+)*+'|\\[[^\\]]*+\\]",
          Pattern.DOTALL);
  private static final Pattern ORDER = Pattern.compile("(?i)(?<![\\p{L}\\p{N}_])order\\s+by\\b");

  /**
   * Reads a configured query; its order, if it has one, is dropped.
   *
   * @throws IllegalArgumentException if no condition can be added to it
   */
  static Jql of(String configured) {
    Matcher order = ORDER.matcher(QueryOutline.of(configured, LITERALS));
    int end = order.find() ? order.start() : configured.length();
    String condition = configured.substring(0, end).strip();
    if (condition.isEmpty()) {
      throw QueryOutline.refused("has no condition, which Jira does not allow; name a project");
    }
    return new Jql(condition);
  }

  /** The query for issues by their keys. */
  static String keys(List<String> keys) {
    return "key in (\"" + String.join("\",\"", keys) + "\")";
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
}
