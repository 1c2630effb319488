package dev.flyball.ops.console.view;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * One ended session; null where no event said it.
 *
 * @param outcome completed, failed, timedOut, cancelled, interrupted or lost
 * @param survivors processes still alive after its end; null if that could not be checked
 * @param title of its item; null if the item is not known, for example because it was forgotten
 * @param startedAt when its agent was started
 * @param exitCode of its agent; null if it has none, for example because a signal ended it
 * @param signal that ended its agent; null if none did
 * @param level of its containment
 * @param agent the adapter
 * @param processesPeak most processes at a time
 */
public record EndedSession(
    String session,
    String item,
    @Nullable String runner,
    String outcome,
    @Nullable String reason,
    Instant endedAt,
    long waitingMs,
    long runningMs,
    long tokens,
    long costMicros,
    @Nullable Long survivors,
    @Nullable String title,
    @Nullable Long attempt,
    @Nullable Instant startedAt,
    @Nullable Long exitCode,
    @Nullable Long signal,
    @Nullable String level,
    @Nullable String agent,
    @Nullable String profile,
    @Nullable String model,
    @Nullable Long processesPeak) {
  public EndedSession {
    // A runner's clock gives finer times, which are of no use to a reader.
    startedAt = startedAt == null ? null : startedAt.truncatedTo(ChronoUnit.MILLIS);
  }
}
