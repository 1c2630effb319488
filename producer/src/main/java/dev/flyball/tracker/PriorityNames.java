package dev.flyball.tracker;

import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The numbers of priorities by the names that people use in trackers. Pure. */
public final class PriorityNames {
  /** By number. */
  private static final List<Set<String>> NAMES =
      List.of(
          Set.of("0", "p0"),
          Set.of("1", "p1", "highest", "blocker", "critical", "urgent"),
          Set.of("2", "p2", "high", "major"),
          Set.of("3", "p3", "medium", "normal"),
          Set.of("4", "p4", "low", "minor"),
          Set.of("5", "p5", "lowest", "trivial"));

  private static final Pattern LABEL =
      Pattern.compile("(?:priority|prio)[\\s:/_-]*(?:p)?(\\w+)|p[\\s:/_-]*([0-5])");

  private PriorityNames() {}

  /** The number of a priority, 1 the most urgent but for {@code P0}; empty if it is not known. */
  public static OptionalInt number(String name) {
    String known = name.strip().toLowerCase(Locale.ROOT);
    for (int number = 0; number < NAMES.size(); number++) {
      if (NAMES.get(number).contains(known)) {
        return OptionalInt.of(number);
      }
    }
    return OptionalInt.empty();
  }

  /**
   * The most urgent priority that labels name where a tracker has none itself: {@code P1}, {@code
   * priority: 2}, {@code priority::high}; the middle if they name none.
   */
  public static int ofLabels(List<String> labels) {
    return labels.stream()
        .map(label -> LABEL.matcher(label.strip().toLowerCase(Locale.ROOT)))
        .filter(Matcher::matches)
        .map(named -> number(named.group(1) == null ? named.group(2) : named.group(1)))
        .flatMapToInt(OptionalInt::stream)
        .min()
        .orElse(RawItem.MIDDLE_PRIORITY);
  }
}
