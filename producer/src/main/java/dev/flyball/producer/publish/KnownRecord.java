package dev.flyball.producer.publish;

import dev.flyball.contract.poll.PollState;
import dev.flyball.contract.poll.Trouble;
import dev.flyball.producer.lease.PollWitness;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One source's record in poll-state as this process knows it, and the records that may follow it.
 * How a poll ended stays unwritten over failed writes and a lost lease, until a record holds it or
 * another producer's record is newer: the next holder continues from the record. Reads and writes
 * no topic; under the monitor of its {@link LeasedCursor}.
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

  /** How this process' last poll ended, while no record holds that; null if one does. */
  private @Nullable Ended unwritten;

  private record Ended(Instant at, @Nullable Trouble trouble, @Nullable Instant succeededAt) {}

  /** When this process first polled the source; null before. */
  private @Nullable Instant began;

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
    PollState known = state;
    return known != null && known.owner().equals(owner.current());
  }

  void read(@Nullable PollState found) {
    state = found;
    if (found != null && isOurs() && epoch >= 0 && found.epoch() > epoch) {
      LOG.warn(
          "poll lease of {}: another process uses this producer's id (data folder copied?);"
              + " generating a new id",
          source);
      owner.renew();
      epoch = -1;
    }
    if (found != null && isAnothers(found)) {
      unwritten = null;
    }
  }

  /** Whether another process wrote the record after this process held the lease. */
  private boolean isAnothers(PollState found) {
    return found.epoch() > epoch || (!isOurs() && !found.owner().equals(PollWitness.NO_OWNER));
  }

  /** A poll begins; returns when the source was first polled, by any producer. */
  Instant begin(Instant start) {
    Instant ours = began == null ? start : began;
    began = ours;
    Instant first = firstPoll();
    return first == null ? ours : first;
  }

  private @Nullable Instant firstPoll() {
    PollState known = state;
    return known == null || known.firstPoll() == null ? began : known.firstPoll();
  }

  /** A poll ended, with this trouble. A tracker that answers may ask for a pause: a success. */
  void ended(Instant at, @Nullable Trouble now) {
    boolean success = now == null || (now.failures() == 0 && now.limited() == 0);
    unwritten = new Ended(at, now, success ? at : succeededAt().orElse(null));
  }

  /** When the last poll by any producer ended. */
  Optional<Instant> polledAt() {
    PollState known = state;
    Instant recorded = known == null ? null : known.polledAt();
    return Optional.ofNullable(unwritten == null ? recorded : unwritten.at());
  }

  /** When the last poll by any producer ended that had no trouble; empty if none is known. */
  Optional<Instant> succeededAt() {
    PollState known = state;
    if (unwritten != null || known == null) {
      return Optional.ofNullable(unwritten).map(Ended::succeededAt);
    }
    return Optional.ofNullable(known.trouble() == null ? known.polledAt() : known.succeededAt());
  }

  /** What restricts polls of the tracker; null if nothing does. */
  @Nullable Trouble trouble() {
    PollState known = state;
    Trouble recorded = known == null ? null : known.trouble();
    return unwritten == null ? recorded : unwritten.trouble();
  }

  /** A takeover begins: the producer that holds the lease by this record is silent. */
  void takingOver() {
    PollState found = state;
    takenFrom =
        found == null || isOurs() || found.owner().equals(PollWitness.NO_OWNER)
            ? null
            : found.owner();
  }

  /** The producer from which the lease was taken last; empty if the lease was free. */
  Optional<String> takenFrom() {
    return Optional.ofNullable(takenFrom);
  }

  /** The first record under a new epoch. */
  PollState takenOver() {
    PollState found = state;
    epoch = found == null ? 1 : found.epoch() + 1;
    return after(owner.current(), 0, cursor());
  }

  /** The record that follows on one of ours. */
  PollState next(PollState held, @Nullable String cursor) {
    return after(owner.current(), held.beat() + 1, cursor);
  }

  PollState givenBack(PollState held) {
    return after(PollWitness.NO_OWNER, held.beat() + 1, held.cursor());
  }

  private PollState after(String owner, long beat, @Nullable String cursor) {
    return new PollState(
        owner,
        epoch,
        beat,
        cursor,
        polledAt().orElse(null),
        trouble(),
        firstPoll(),
        succeededAt().orElse(null));
  }

  void written(PollState record) {
    state = record;
    unwritten = null;
  }
}
