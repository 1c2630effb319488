package dev.flyball.ops.console.page;

import dev.flyball.contract.text.TimeSpan;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.console.why.ItemStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** An item that waits, with the reasons. */
public record WaitingRow(ItemRow item, List<ItemStatus.Reason> reasons, Instant now) {
  public WaitingRow {
    reasons = List.copyOf(reasons);
  }

  /** How long it waits. */
  public String waiting() {
    Instant since = item.waitingSince();
    return since == null ? "-" : TimeSpan.age(Duration.between(since, now));
  }

  /** One line for each reason, with the time at which it ends where that is known. */
  public List<String> lines() {
    return reasons.stream().map(it -> line(it, now)).toList();
  }

  /** A reason as one line. */
  static String line(ItemStatus.Reason reason, Instant now) {
    Instant until = reason.until();
    String label = Display.words(reason.reason().label());
    // Some details begin with what the label says.
    String start = reason.detail().startsWith(label) ? "" : label;
    return start
        + (until == null ? "" : " for another " + TimeSpan.remaining(Duration.between(now, until)))
        + (start.isEmpty() || reason.detail().isBlank() ? "" : ": ")
        + Display.line(reason.detail(), Display.REASON);
  }
}
