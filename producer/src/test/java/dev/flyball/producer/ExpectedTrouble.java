package dev.flyball.producer;

import dev.flyball.contract.event.EventType;
import dev.flyball.producer.breaker.BreakerLimits;
import dev.flyball.tracker.TrackerFailure.Category;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * What a fault must look like from outside.
 *
 * @param asked the pause that the tracker asks for
 */
record ExpectedTrouble(Category category, Duration asked) {
  private static final Duration OPEN = BreakerLimits.DEFAULT.open();

  /** Whether it counts as a failure of the tracker; a rate limit does not. */
  boolean counts() {
    return category != Category.RATE_LIMITED;
  }

  /**
   * How long polls pause after each failure. The third failure in a row opens the breaker. The poll
   * that is allowed after that fails too, and this fourth failure opens it again.
   */
  List<Duration> waits() {
    if (counts()) {
      Duration open = asked.compareTo(OPEN) > 0 ? asked : OPEN;
      return List.of(asked, asked, open, open);
    }
    return asked.isPositive()
        ? Collections.nCopies(3, asked)
        : List.of(Duration.ofMinutes(1), Duration.ofMinutes(2), Duration.ofMinutes(4));
  }

  List<String> events(List<String> reasons) {
    List<String> failed = reasons.stream().map(reason -> category.label() + ": " + reason).toList();
    return counts()
        ? List.of(
            failed.get(0),
            failed.get(1),
            EventType.BREAKER_OPENED.toString(),
            failed.get(2),
            EventType.BREAKER_HALF_OPENED.toString(),
            EventType.BREAKER_OPENED.toString(),
            failed.get(3),
            EventType.BREAKER_HALF_OPENED.toString(),
            EventType.BREAKER_CLOSED.toString())
        : failed;
  }

  /**
   * The expected steps: the cursor does not move until the edits are published, and then no trouble
   * is left.
   */
  List<String> steps() {
    String format = counts() ? ": %1$d failed, 0 limited" : ": 0 failed, %1$d limited";
    var steps = new ArrayList<>(List.of("cursor 0", "cursor 1"));
    for (int failures = 1; failures <= waits().size(); failures++) {
      steps.add("cursor 1, " + category.label() + format.formatted(failures));
    }
    steps.add("cursor 2");
    return steps;
  }
}
