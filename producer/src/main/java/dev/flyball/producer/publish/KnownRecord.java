package dev.flyball.producer.publish;

import dev.flyball.contract.poll.PollState;
import dev.flyball.contract.poll.Trouble;
import dev.flyball.producer.lease.PollWitness;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One source's record in poll-state as this process knows it, and the records that may follow it.
 * Reads and writes no topic; under the monitor of its {@link LeasedCursor}.
 */
final class KnownRecord {
  private static final Logger LOG = LoggerFactory.getLogger(KnownRecord.class);

  private final String source;
  private final OwnerFile owner;

  /** As it is committed, by the newest read or write that took effect; null if there is none. */
  private @Nullable PollState state;

  /**
   * The epoch that this process holds or held last; -1 before the first. Set by a takeover, and by
   * a read that finds our name used by a copy of this data folder.
   */
  private long epoch = -1;

  /** How polls ended; what no record holds yet is written with the next one. */
  private UnwrittenPoll unwritten = UnwrittenPoll.NONE;

  /** Null if the lease was free when it was taken last. */
  private @Nullable String takenFrom;

  KnownRecord(String source, OwnerFile owner) {
    this.source = source;
    this.owner = owner;
  }

  /** Null before the first poll by any producer. */
  @Nullable PollState state() {
    return state;
  }

  /** Null before the first poll. */
  @Nullable String cursor() {
    PollState known = state;
    return known == null ? null : known.cursor();
  }

  /** Whether it has this process's name; only a commit proves that the lease is ours. */
  boolean isOurs() {
    return isOurs(state);
  }

  /** The record was read. */
  void read(@Nullable PollState found) {
    if (found != null && isOurs(found) && epoch >= 0 && found.epoch() > epoch) {
      LOG.warn(
          "poll lease of {}: another process uses this producer's id (data folder copied?);"
              + " generating a new id",
          source);
      owner.renew();
      epoch = -1;
    }
    state = found;
    unwritten =
        found != null && isAnothers(found) ? unwritten.readOfAnother(found) : unwritten.read(found);
  }

  /** Whether another process wrote the record after this process held the lease. */
  private boolean isAnothers(PollState found) {
    return found.epoch() > epoch || (!isOurs(found) && !found.owner().equals(PollWitness.NOBODY));
  }

  private boolean isOurs(@Nullable PollState found) {
    return found != null && found.owner().equals(owner.current());
  }

  /** A poll begins; returns when the source was first polled, by any producer. */
  Instant begin(Instant start) {
    unwritten = unwritten.begun(start);
    return Objects.requireNonNull(unwritten.firstPoll(state));
  }

  /** A poll ended, with this trouble. */
  void ended(Instant at, @Nullable Trouble now) {
    unwritten = unwritten.ended(at, now);
  }

  Optional<Instant> polledAt() {
    return Optional.ofNullable(unwritten.lastPoll(state));
  }

  @Nullable Trouble trouble() {
    return unwritten.trouble();
  }

  /** A takeover begins: the producer that holds the lease by this record is silent. */
  void takingOver() {
    PollState found = state;
    takenFrom =
        found == null || isOurs(found) || found.owner().equals(PollWitness.NOBODY)
            ? null
            : found.owner();
  }

  /** The producer from which the lease was taken last; empty if the lease was free. */
  Optional<String> takenFrom() {
    return Optional.ofNullable(takenFrom);
  }

  /**
   * The first record under a new epoch.
   *
   * @param next the least epoch that is free
   */
  PollState takenOver(long next) {
    PollState found = state;
    // Our own commit, from before a crash or a timeout, may have taken effect only now.
    epoch = found == null ? next : Math.max(next, found.epoch() + 1);
    return unwritten.after(found, owner.current(), epoch, 0, found == null ? null : found.cursor());
  }

  /** The record that follows on one of ours. */
  PollState next(PollState held, @Nullable String cursor) {
    return unwritten.after(held, owner.current(), epoch, held.beat() + 1, cursor);
  }

  /** The record that gives the lease back. */
  PollState givenBack(PollState held) {
    return unwritten.after(held, PollWitness.NOBODY, epoch, held.beat() + 1, held.cursor());
  }

  /** A record of ours took effect. */
  void written(PollState record) {
    state = record;
    unwritten = unwritten.written();
  }
}
