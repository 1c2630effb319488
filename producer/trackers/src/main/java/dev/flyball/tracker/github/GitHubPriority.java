package dev.flyball.tracker.github;

import dev.flyball.tracker.RawItem;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A priority read from labels, as GitHub has no priorities: {@code P1}, {@code priority: 2}, {@code
 * priority/high}. 1 is the most urgent, as everywhere here.
 */
final class GitHubPriority {
  private static final Pattern LABEL =
      Pattern.compile("(?:priority|prio)[\\s:/_-]*(?:p)?(\\w+)|p[\\s:/_-]*([0-5])");

  private static final Map<String, Integer> WORDS =
      Map.ofEntries(
          Map.entry("0", 0),
          Map.entry("1", 1),
          Map.entry("2", 2),
          Map.entry("3", 3),
          Map.entry("4", 4),
          Map.entry("5", 5),
          Map.entry("critical", 1),
          Map.entry("urgent", 1),
          Map.entry("highest", 1),
          Map.entry("high", 2),
          Map.entry("medium", 3),
          Map.entry("normal", 3),
          Map.entry("low", 4),
          Map.entry("lowest", 5));

  private GitHubPriority() {}

  /** The most urgent priority that the labels name; the middle if they name none. */
  static int of(List<String> labels) {
    return labels.stream()
        .map(GitHubPriority::of)
        .flatMapToInt(OptionalInt::stream)
        .min()
        .orElse(RawItem.MIDDLE_PRIORITY);
  }

  private static OptionalInt of(String label) {
    Matcher matcher = LABEL.matcher(label.strip().toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      return OptionalInt.empty();
    }
    Integer priority = WORDS.get(matcher.group(1) == null ? matcher.group(2) : matcher.group(1));
    return priority == null ? OptionalInt.empty() : OptionalInt.of(priority);
  }
}
