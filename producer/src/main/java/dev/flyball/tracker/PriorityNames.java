package dev.flyball.tracker;

import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.Set;

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
}
