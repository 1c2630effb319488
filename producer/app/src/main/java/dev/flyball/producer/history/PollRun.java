package dev.flyball.producer.history;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * One poll as the history records it.
 *
 * @param outcome {@code finished}, {@code skipped} or {@code failed}
 * @param reason why it was skipped or failed
 */
public record PollRun(
    String source,
    String poll,
    Instant startedAt,
    Instant endedAt,
    String outcome,
    @Nullable String reason,
    int lines,
    int items,
    int changed,
    int duplicates,
    int invalid) {}
