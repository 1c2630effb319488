package dev.flyball.ops.console.view;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One item: a line of {@code items}.
 *
 * @param state new, triaging, skipped, queued, running, analyzed, failed, dead, cancelled or closed
 * @param reason why it is in that state, where the state has a reason
 * @param priority 1 is first
 * @param waitingSince since when it is not settled; null if it is
 * @param spentMicros over its lifetime, in micro-dollars
 */
public record ItemRow(
    String key,
    String title,
    String state,
    @Nullable String reason,
    String revision,
    int priority,
    @Nullable String url,
    Instant updatedAt,
    @Nullable Instant waitingSince,
    long spentMicros) {}
