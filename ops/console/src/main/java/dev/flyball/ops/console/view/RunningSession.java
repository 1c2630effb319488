package dev.flyball.ops.console.view;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * One open lease, with the data of its events: a line of {@code ps}.
 *
 * @param item item key
 * @param pid of the containment's outermost process; null until it was started
 * @param processes child processes at the last progress
 * @param doing the agent's newest tool or line of output, as its runner reported it last
 * @param since when its claim took effect, by the broker's clock
 * @param elapsedMs from then to the query
 * @param limitMs its wall clock
 * @param progressAt when its agent last showed progress
 * @param hung whether its agent has been silent for long
 * @param tokens used so far
 * @param costMicros spent so far, in micro-dollars
 * @param title of its item; null if the item is not known yet
 */
public record RunningSession(
    String session,
    String item,
    String runner,
    int attempt,
    @Nullable Long pid,
    @Nullable String level,
    @Nullable Long processes,
    @Nullable String doing,
    Instant since,
    long elapsedMs,
    long limitMs,
    @Nullable Instant progressAt,
    boolean hung,
    long tokens,
    long costMicros,
    @Nullable String title) {
  /** From this share of its wall clock on, a session is late. */
  private static final double LATE = 0.75;

  private static final Duration QUIET = Duration.ofSeconds(60);

  public RunningSession {
    // A runner's clock gives finer times, which are of no use to a reader.
    progressAt = progressAt == null ? null : progressAt.truncatedTo(ChronoUnit.MILLIS);
  }

  /** Whether most of its time is over. */
  public boolean late() {
    return elapsedMs > LATE * limitMs;
  }

  /** Whether its agent has not shown progress for a while. */
  public boolean silent(Instant now) {
    return hung || (progressAt != null && progressAt.plus(QUIET).isBefore(now));
  }

  /**
   * A session that the projection knows.
   *
   * @param since when it was claimed; null if that is no longer kept
   * @param live whether its lease is open
   */
  public record KnownSession(String session, String item, @Nullable Instant since, boolean live) {}
}
