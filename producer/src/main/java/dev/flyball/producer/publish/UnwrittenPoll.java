package dev.flyball.producer.publish;

import dev.flyball.contract.poll.PollState;
import dev.flyball.contract.poll.Trouble;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a source's polls and not yet fully in its record. How a poll ended stays
 * unwritten over failed writes and a lost lease, until a record holds it or another producer's
 * record is newer: the next holder continues from the record. Pure.
 *
 * @param polledAt when the last poll ended that no record holds; null if there is none
 * @param trouble what restricts polls of the tracker; null if nothing does
 * @param troubleIsNew whether no record holds that trouble, or its end
 * @param began when this process first polled the source; null before
 */
record UnwrittenPoll(
    @Nullable Instant polledAt,
    @Nullable Trouble trouble,
    boolean troubleIsNew,
    @Nullable Instant began) {
  /** Nothing: before any poll and any record. */
  static final UnwrittenPoll NONE = new UnwrittenPoll(null, null, false, null);

  /** A poll begins. */
  UnwrittenPoll begun(Instant at) {
    return began == null ? new UnwrittenPoll(polledAt, trouble, troubleIsNew, at) : this;
  }

  /** A poll ended. */
  UnwrittenPoll ended(Instant at, @Nullable Trouble now) {
    return new UnwrittenPoll(at, now, true, began);
  }

  /** A record with all of this took effect. */
  UnwrittenPoll written() {
    return new UnwrittenPoll(null, trouble, false, began);
  }

  /** The record was read, and no other producer wrote it since we did: that stays unwritten. */
  UnwrittenPoll read(@Nullable PollState record) {
    return troubleIsNew
        ? this
        : new UnwrittenPoll(polledAt, record == null ? null : record.trouble(), false, began);
  }

  /**
   * The record was read, and another producer wrote it since: that one asked the tracker after us.
   */
  UnwrittenPoll readOfAnother(PollState record) {
    boolean later =
        polledAt != null && record.polledAt() != null && record.polledAt().isAfter(polledAt);
    return new UnwrittenPoll(later ? null : polledAt, record.trouble(), false, began);
  }

  /** When the last poll by any producer ended; null if there was none. */
  @Nullable Instant lastPoll(@Nullable PollState record) {
    return polledAt != null || record == null ? polledAt : record.polledAt();
  }

  /** When the source was first polled, by any producer; null before. */
  @Nullable Instant firstPoll(@Nullable PollState record) {
    return record == null || record.firstPoll() == null ? began : record.firstPoll();
  }

  /** The record that follows on this one, with all that is known here. */
  PollState after(
      @Nullable PollState record, String owner, long epoch, long beat, @Nullable String cursor) {
    return new PollState(owner, epoch, beat, cursor, lastPoll(record), trouble, firstPoll(record));
  }
}
