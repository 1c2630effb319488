package dev.flyball.tracker.azure.wiql;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A span of System.ChangedDate that one query asks for.
 *
 * @param begin its first moment, null for the beginning of time
 * @param end the first moment after it, null for no end
 */
public record ChangedWindow(Precision precision, @Nullable Instant begin, @Nullable Instant end) {
  /**
   * Nothing in Azure DevOps or its predecessors changed earlier, unless it was imported with such a
   * date.
   */
  private static final Instant EARLIEST = Instant.parse("2005-01-01T00:00:00Z");

  /** How finely a project's queries compare times. */
  public enum Precision {
    /** To the millisecond. */
    TIME(ChronoUnit.MILLIS),
    /** To the day, in a time zone that is the project's and not known here. */
    DAY(ChronoUnit.DAYS);

    private final ChronoUnit unit;

    Precision(ChronoUnit unit) {
      this.unit = unit;
    }
  }

  /**
   * A window of everything since this time.
   *
   * @param from null for everything
   */
  public static ChangedWindow since(@Nullable Instant from, Precision precision) {
    if (from == null) {
      return new ChangedWindow(precision, null, null);
    }
    // West of Greenwich it is still the day before: one day more is read rather than one less.
    Instant begin =
        precision == Precision.DAY
            ? from.truncatedTo(ChronoUnit.DAYS).minus(1, ChronoUnit.DAYS)
            : from.truncatedTo(precision.unit);
    return new ChangedWindow(precision, begin, null);
  }

  /** The literal of its beginning; empty if it has none. */
  Optional<String> from() {
    return Optional.ofNullable(begin).map(this::literal);
  }

  /** The literal of its end; empty if it has none. */
  Optional<String> to() {
    return Optional.ofNullable(end).map(this::literal);
  }

  private String literal(Instant at) {
    String text = at.toString();
    return precision == Precision.DAY ? text.substring(0, "2026-01-31".length()) : text;
  }

  /** Its older half; empty where it cannot be split. */
  public Optional<ChangedWindow> older(Instant now) {
    return middle(now).map(middle -> new ChangedWindow(precision, begin, middle));
  }

  /** Its newer half, open at the end where the whole is; empty where it cannot be split. */
  public Optional<ChangedWindow> newer(Instant now) {
    return middle(now).map(middle -> new ChangedWindow(precision, middle, end));
  }

  /** The middle; empty where it cannot be split any more. */
  private Optional<Instant> middle(Instant now) {
    Instant low = begin == null ? EARLIEST : begin;
    // The tracker's clock may be ahead of ours, and its days may be too.
    Instant high = end == null ? now.plus(1, ChronoUnit.DAYS).truncatedTo(precision.unit) : end;
    long units = precision.unit.between(low, high);
    return units < 2 ? Optional.empty() : Optional.of(low.plus(units / 2, precision.unit));
  }

  /** As text for people. */
  @Override
  public String toString() {
    return from().map(from -> "from " + from).orElse("from the beginning")
        + to().map(to -> " to before " + to).orElse(" on");
  }
}
