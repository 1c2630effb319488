package dev.flyball.tracker.azure;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A span of System.ChangedDate that one query asks for, to the millisecond. Pure.
 *
 * @param begin its first moment, null for the beginning of time
 * @param end the first moment after it, null for no end
 */
record ChangedWindow(@Nullable Instant begin, @Nullable Instant end) {
  /**
   * Nothing in Azure DevOps or its predecessors changed earlier, unless it was imported with such a
   * date.
   */
  private static final Instant EARLIEST = Instant.parse("2005-01-01T00:00:00Z");

  /**
   * A window of everything since this time.
   *
   * @param from null for everything
   */
  static ChangedWindow since(@Nullable Instant from) {
    return new ChangedWindow(from == null ? null : from.truncatedTo(ChronoUnit.MILLIS), null);
  }

  /**
   * Its older and its newer half, which is open at the end where the whole is; none where it cannot
   * be split.
   */
  List<ChangedWindow> halves(Instant now) {
    Instant low = begin == null ? EARLIEST : begin;
    // The tracker's clock may be ahead of ours.
    Instant high = end == null ? now.plus(1, ChronoUnit.DAYS).truncatedTo(ChronoUnit.MILLIS) : end;
    long millis = ChronoUnit.MILLIS.between(low, high);
    if (millis < 2) {
      return List.of();
    }
    Instant middle = low.plusMillis(millis / 2);
    return List.of(new ChangedWindow(begin, middle), new ChangedWindow(middle, end));
  }

  /** As text for people. */
  @Override
  public String toString() {
    return (begin == null ? "from the beginning" : "from " + begin)
        + (end == null ? " on" : " to before " + end);
  }
}
