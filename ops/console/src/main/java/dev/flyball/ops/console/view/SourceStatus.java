package dev.flyball.ops.console.view;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One source and its polls.
 *
 * @param source {@code tenant/source}
 * @param last its newest poll
 * @param lastSuccess when a poll of it finished last; null if none is kept
 * @param next when its next poll is expected: as long after the newest one began as that began
 *     after the one before, or when its breaker lets a call through; null if that is not known
 * @param breaker closed, open or halfOpen
 * @param reason why the breaker is not closed
 * @param failingSince when the first poll after the last success failed; null if the newest did not
 */
public record SourceStatus(
    String source,
    PollRow last,
    @Nullable Instant lastSuccess,
    @Nullable Instant next,
    String breaker,
    @Nullable String reason,
    @Nullable Instant failingSince) {
  /** Whether a person should look at it. */
  public boolean failing() {
    return held() || failingSince != null;
  }

  /** Whether calls to its tracker are held back after failures. */
  public boolean held() {
    return !breaker.equals("closed");
  }

  /**
   * One poll of a source.
   *
   * @param source {@code tenant/source}
   * @param startedAt null if the event of its start is not known, for example of a skipped poll
   * @param endedAt null while it runs, and if its producer was killed
   * @param result finished, skipped or failed; null without an end
   * @param reason why it was skipped or failed
   * @param category what kind of failure
   * @param lines lines or tracker records that it read, also several of one item and unreadable
   *     ones; null without an end
   * @param polled items that it saw
   * @param changed snapshots that it published
   * @param duplicates snapshots that it held back
   * @param invalid lines that it could not read
   */
  public record PollRow(
      String source,
      String poll,
      @Nullable Instant startedAt,
      @Nullable Instant endedAt,
      @Nullable String result,
      @Nullable String reason,
      @Nullable String category,
      @Nullable Long lines,
      long polled,
      long changed,
      long duplicates,
      long invalid) {
    /** How long it took; null if its start or its end is not known. */
    public @Nullable Long tookMs() {
      return startedAt == null || endedAt == null
          ? null
          : Long.valueOf(endedAt.toEpochMilli() - startedAt.toEpochMilli());
    }
  }
}
