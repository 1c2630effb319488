package dev.flyball.ops.console.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One ended session.
 *
 * @param outcome completed, failed, timedOut, cancelled, interrupted or lost
 * @param survivors processes still alive after its end; null if that could not be checked
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
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
    @Nullable Long survivors) {}
