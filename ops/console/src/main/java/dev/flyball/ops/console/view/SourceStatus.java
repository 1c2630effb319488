package dev.flyball.ops.console.view;

import com.fasterxml.jackson.annotation.JsonInclude;
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
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record SourceStatus(
    String source,
    PollRow last,
    @Nullable Instant lastSuccess,
    @Nullable Instant next,
    String breaker,
    @Nullable String reason) {
  /** Whether calls to its tracker are held back after failures. */
  public boolean held() {
    return !breaker.equals("closed");
  }
}
