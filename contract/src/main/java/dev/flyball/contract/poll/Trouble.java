package dev.flyball.contract.poll;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Why a tracker is not polled as usual. It is part of the source's poll-state, so that after a
 * restart or a takeover no producer polls a tracker that is paused.
 *
 * @param category the kind of the last failure, for example {@code auth} or {@code rate limited}
 * @param reason the failure in one line, with the fix
 * @param failures failed polls in a row, without those that the tracker's rate limit rejected
 * @param limited polls in a row that its rate limit rejected
 * @param notBefore before this time no producer polls, by the owner's clock; null if only the
 *     interval applies
 */
public record Trouble(
    String category, String reason, int failures, int limited, @Nullable Instant notBefore) {}
