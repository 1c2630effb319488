package dev.flyball.ops.console.metrics;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A session that was claimed and has not ended, and up to which minute it is counted as running.
 * Each of its events counts it in the minutes since. Immutable.
 *
 * @param seenTo start of that minute, in epoch milliseconds
 */
public record SessionSpan(String tenant, long seenTo) {
  /** Milliseconds of a minute. */
  public static final long MINUTE = Duration.ofMinutes(1).toMillis();

  /** A session silent for longer is counted in no more minutes: each costs a window. */
  private static final long MOST_MINUTES = Duration.ofDays(1).toMinutes();

  /**
   * A change of the number of sessions at one moment.
   *
   * @param begins whether a session begins there, or ends
   */
  public record Mark(long at, boolean begins) {}

  /**
   * What an event changes.
   *
   * @param next null if the session has ended
   */
  public record Step(@Nullable SessionSpan next, List<Mark> marks) {
    public Step {
      marks = List.copyOf(marks);
    }
  }

  /**
   * What a fact means for its session.
   *
   * @param open the session as it is known; null before its claim and after its end
   */
  public static Step step(@Nullable SessionSpan open, MetricFact fact) {
    if (open == null) {
      return fact.name().equals(MetricFact.CLAIMED)
          ? new Step(
              new SessionSpan(fact.tenant(), minute(fact.at())), List.of(new Mark(fact.at(), true)))
          : new Step(null, List.of());
    }
    boolean ends =
        fact.end() != null
            || fact.name().equals(MetricFact.LEASE_ENDED)
            || fact.name().equals(MetricFact.LEASE_EXPIRED);
    // Clocks of two machines differ: an end never counts before what is counted already.
    long at = Math.max(fact.at(), open.seenTo);
    var marks = new ArrayList<>(open.entered(at));
    if (ends) {
      marks.add(new Mark(at, false));
      return new Step(null, marks);
    }
    return new Step(new SessionSpan(open.tenant, minute(at)), marks);
  }

  /** Start of the minute of a moment. */
  public static long minute(long at) {
    return Math.floorDiv(at, MINUTE) * MINUTE;
  }

  /** It is there from the start of each minute after the last one that it was seen in. */
  private List<Mark> entered(long at) {
    var marks = new ArrayList<Mark>();
    long first = Math.max(seenTo + MINUTE, minute(at) - MOST_MINUTES * MINUTE);
    for (long start = first; start <= at; start += MINUTE) {
      marks.add(new Mark(start, true));
    }
    return marks;
  }
}
