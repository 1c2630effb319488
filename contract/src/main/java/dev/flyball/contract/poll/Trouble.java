package dev.flyball.contract.poll;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What keeps a tracker from being asked as usual. It is part of its poll-state, so that neither a
 * restart nor a takeover asks a tracker that is to be left alone.
 *
 * @param category the kind of the last failure, for example {@code auth} or {@code rate limited}
 * @param reason its line, with what to do
 * @param failures failed polls in a row; those that the tracker's rate limit refused do not count
 * @param limited polls in a row that its rate limit refused
 * @param notBefore before when nobody asks, by the owner's clock; null if only the interval counts
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Trouble(
    String category, String reason, int failures, int limited, @Nullable Instant notBefore) {}
