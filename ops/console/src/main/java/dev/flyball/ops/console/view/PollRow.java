package dev.flyball.ops.console.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One poll of a source.
 *
 * @param source {@code tenant/source}
 * @param startedAt null if the event of its start is not known, for example of a skipped poll
 * @param endedAt null while it runs, and if its producer was killed
 * @param result finished, skipped or failed; null without an end
 * @param reason why it was skipped or failed
 * @param category what kind of failure
 * @param polled items that it saw
 * @param changed snapshots that it published
 * @param duplicates snapshots that it held back
 * @param invalid lines that it could not read
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PollRow(
    String source,
    String poll,
    @Nullable Instant startedAt,
    @Nullable Instant endedAt,
    @Nullable String result,
    @Nullable String reason,
    @Nullable String category,
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
