package dev.flyball.contract.poll;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The poll lease and the cursor of one source; the value of {@code poll-state} under {@code
 * tenant/source}.
 *
 * @param owner the producer that holds the lease
 * @param epoch grows by one with every takeover; a record of an older epoch is void
 * @param beat number of the owner's heartbeats; a witness measures by its own clock how long it has
 *     not changed
 * @param cursor how far the source was read, in the source type's own format; null before the first
 *     poll
 * @param polledAt when the last poll ended, failed ones of trackers included, by the owner's clock,
 *     for display and for the interval
 * @param trouble why the tracker is not polled as usual; null if it is
 * @param firstPoll when the first poll began, by that poll's owner's clock: {@code start: now}
 *     counts from it. Null before the first poll
 * @param succeededAt when the last poll ended that had no trouble, by its owner's clock; null if
 *     none is known
 */
public record PollState(
    String owner,
    long epoch,
    long beat,
    @Nullable String cursor,
    @Nullable Instant polledAt,
    @Nullable Trouble trouble,
    @Nullable Instant firstPoll,
    @Nullable Instant succeededAt) {}
