package dev.flyball.producer.publish;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.poll.PollState;
import dev.flyball.contract.poll.Trouble;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.producer.change.PollCursor;
import dev.flyball.producer.change.Published;
import dev.flyball.producer.history.OwnerFile;
import dev.flyball.producer.lease.PollClocks;
import dev.flyball.producer.lease.PollLeave;
import dev.flyball.producer.lease.PollWitness;
import dev.flyball.producer.lease.Pulse;
import dev.flyball.producer.lease.Standing;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One source's record in poll-state: its lease and its cursor. Who holds the lease writes here,
 * everything in the one transactional producer that fences its predecessors, so that of two who
 * believe to hold it only one can commit.
 *
 * <p>The polling thread takes it, commits and notes polls, the beating thread beats, whoever stops
 * the producer closes: one at a time, under this object's monitor, which guards every field that
 * changes. Only what health reads needs no monitor, because a write may hold it for long.
 */
public final class LeasedCursor implements Pulse, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LeasedCursor.class);

  private final String source;
  private final String topic;
  private final PollStateReader reader;
  private final OwnerFile owner;
  private final LongSupplier nanos;
  private final PollWitness witness;
  private final PollLeave leave;
  private final SnapshotPublisher publisher;
  private final PollRecords records;
  private final PublishedReader published;
  private final LastWrite lastWrite = new LastWrite();

  /**
   * The record as it is committed, as far as this process read or wrote it; null if there is none.
   * Set by every look and every write that took effect.
   */
  private @Nullable PollState state;

  /**
   * The epoch that this process holds or held last; -1 before the first. Set by a takeover, and by
   * the look that finds our name in a copy's hands.
   */
  private long epoch = -1;

  /** From whom it was last taken by silence; null if it was free. Set by a takeover. */
  private @Nullable String takenFrom;

  /** How polls ended; what of it is in no record is written with the next one. */
  private PollNews news = PollNews.NONE;

  /** Whether the lease was given back for good. */
  private boolean closed;

  /**
   * Opens nothing yet.
   *
   * @param source {@code tenant/source}
   * @param clocks the lease and what depends on it
   * @param nanos this process' monotonic clock; counts suspends too
   */
  public LeasedCursor(
      KafkaClients clients,
      String source,
      PollStateReader reader,
      OwnerFile owner,
      PollClocks clocks,
      LongSupplier nanos) {
    this.source = source;
    this.topic = clients.topics().pollState();
    this.reader = reader;
    this.owner = owner;
    this.nanos = nanos;
    this.witness = new PollWitness(clocks.lease());
    this.leave = new PollLeave(clocks, nanos);
    this.publisher = new SnapshotPublisher(clients, source);
    this.records = new PollRecords(clients.topics());
    this.published = new PublishedReader(clients);
  }

  /**
   * Takes the lease, or finds it held by this process.
   *
   * @return why not; empty if it is held
   */
  public synchronized Optional<Refusal> take() {
    if (closed) {
      // Nobody would beat for a poll that comes this late.
      return Optional.of(
          new Refusal.Lasting("it is polled here no more: its lease was given back"));
    }
    if (publisher.isOpen() && !leave.isLost()) {
      return Optional.empty();
    }
    try {
      // After a freeze only a commit proves that the lease is still ours.
      if (publisher.isOpen() && state != null) {
        renew(state);
      }
      if (publisher.isOpen()) {
        return Optional.empty();
      }
      look();
      return switch (witness.standing(owner.current(), nanos.getAsLong())) {
        case Standing.Held held -> Optional.of(Refusal.of(held));
        case Standing.Free free -> takeOver(free.epoch()).map(Refusal.Passing::new);
      };
    } catch (KafkaException e) {
      publisher.close();
      return Optional.of(Refusal.of(e));
    }
  }

  /** The leave to ask the tracker, which ends before another producer could take the lease. */
  public PollLeave leave() {
    return leave;
  }

  /** Reads what is committed now, for a witness and for the time of the last poll. */
  public synchronized void look() {
    look(reader.read(source));
  }

  private void look(@Nullable PollState found) {
    if (found != null
        && found.owner().equals(owner.current())
        && epoch >= 0
        && found.epoch() > epoch) {
      LOG.warn(
          "poll lease of {} was taken under our own name: this data folder is a copy; taking"
              + " another name",
          source);
      owner.renew();
      epoch = -1;
    }
    witness.observe(found, nanos.getAsLong());
    state = found;
    if (!isOurs(found)) {
      lastWrite.notOurs();
    }
    news = found != null && isAnothers(found) ? news.readOfAnother(found) : news.read(found);
  }

  /** Whether somebody else wrote it after this process held the lease. */
  private boolean isAnothers(PollState found) {
    return found.epoch() > epoch || (!isOurs(found) && !found.owner().equals(PollWitness.NOBODY));
  }

  /** Whether this process holds the lease as far as it knows; only a commit proves it. */
  public synchronized boolean held() {
    return publisher.isOpen();
  }

  /** Whether another producer's lease, as it was last looked at, still stands. */
  public synchronized boolean heldByAnother() {
    return !held() && witness.standing(owner.current(), nanos.getAsLong()) instanceof Standing.Held;
  }

  /** The source's key. */
  public String source() {
    return source;
  }

  /** The committed cursor, null before the first poll. */
  public synchronized @Nullable String cursor() {
    return state == null ? null : state.cursor();
  }

  /**
   * What was published of this source, by whoever held its lease.
   *
   * @param from null for all that is kept
   * @throws OpenTransaction if it cannot be read to its end yet
   * @throws KafkaException if the broker does not answer in time
   */
  public Published publishedSince(@Nullable Instant from) {
    return published.since(source, from);
  }

  /** When the last poll of anybody ended, by that one's wall clock. */
  public synchronized Optional<Instant> polledAt() {
    return Optional.ofNullable(news.lastPoll(state));
  }

  /** What keeps the tracker from being asked as usual, as it is committed; null if nothing does. */
  public synchronized @Nullable Trouble trouble() {
    return news.trouble();
  }

  /**
   * Notes that a poll ended without anything to commit. It is written with the next beat, trouble
   * that began or ended at once: whoever starts next goes by it.
   */
  public synchronized void polled(Instant at, @Nullable Trouble now) {
    PollState held = state;
    news = news.ended(at, now);
    if (publisher.isOpen() && held != null && !Objects.equals(now, held.trouble())) {
      write(List.of(), next(held))
          .ifPresent(why -> LOG.warn("trouble of {} is not written: {}", source, why));
    }
  }

  /**
   * Commits a poll's output together with the cursor, all or nothing.
   *
   * @param now what keeps the tracker from being asked as usual from here on; null if nothing does
   * @return what went wrong, one line; the lease must then be taken again, which tells what was
   *     committed
   */
  public synchronized Optional<String> commit(
      PollOutput output, PollCursor cursor, Instant at, @Nullable Trouble now) {
    PollState held = state;
    if (!publisher.isOpen() || held == null) {
      return Optional.of("the poll lease was lost");
    }
    news = news.ended(at, now);
    return write(records.of(source, output, at), next(held, owner.current(), cursor.toString()));
  }

  /**
   * A lease that was lost by a failed write is taken again if it still stands under our name:
   * without beats it would be another's long before the next poll is due.
   */
  @Override
  public synchronized void beat() {
    PollState held = state;
    if (publisher.isOpen() && held != null) {
      renew(held);
    } else if (lastWrite.isOurs()) {
      look();
      if (isOurs(state)) {
        take()
            .ifPresent(
                why -> LOG.warn("poll lease {} is not taken again: {}", source, why.reason()));
      }
    }
  }

  private void renew(PollState held) {
    write(List.of(), next(held))
        .ifPresent(why -> LOG.warn("beat of poll lease {} failed: {}", source, why));
  }

  @Override
  public Duration silence() {
    return lastWrite.silence(nanos.getAsLong());
  }

  @Override
  public Optional<String> failure() {
    return lastWrite.failure();
  }

  /** From whom the lease was last taken because it had been silent; empty if it was free. */
  public synchronized Optional<String> takenFrom() {
    return Optional.ofNullable(takenFrom);
  }

  /**
   * Gives the lease back, so that the next producer need not wait for it; not while a poll is still
   * asking the tracker, whose next poller would then ask beside it. It is not taken again.
   */
  @Override
  public synchronized void close() {
    closed = true;
    PollState held = state;
    if (leave.isInUse()) {
      LOG.warn("poll lease {} is not given back: a request to its tracker is still open", source);
    } else if (publisher.isOpen() && held != null) {
      write(List.of(), next(held, PollWitness.NOBODY, held.cursor()))
          .ifPresent(why -> LOG.info("poll lease {} could not be given back: {}", source, why));
    }
    publisher.close();
    lastWrite.notOurs();
  }

  private Optional<String> takeOver(long next) {
    PollState before = state;
    takenFrom =
        before == null || isOurs(before) || before.owner().equals(PollWitness.NOBODY)
            ? null
            : before.owner();
    publisher.open();
    // Opening fenced everybody else and ended what they had in flight: only now is the record what
    // it will stay. It may lie behind another source's open transaction, and the record before it
    // has an old cursor.
    look(reader.readToEnd(source));
    PollState found = state;
    if (!Objects.equals(before, found) && !isOurs(found)) {
      publisher.close();
      return Optional.of("another producer took the poll lease at this moment");
    }
    // A commit of our own, from before a crash or a timeout, may have landed only now.
    epoch = found == null ? next : Math.max(next, found.epoch() + 1);
    String cursor = found == null ? null : found.cursor();
    return write(
        List.of(),
        new PollState(owner.current(), epoch, 0, cursor, news.lastPoll(found), news.trouble()));
  }

  private boolean isOurs(@Nullable PollState found) {
    return found != null && found.owner().equals(owner.current());
  }

  private PollState next(PollState held) {
    return next(held, owner.current(), held.cursor());
  }

  private PollState next(PollState held, String by, @Nullable String cursor) {
    return new PollState(by, epoch, held.beat() + 1, cursor, news.lastPoll(held), news.trouble());
  }

  private Optional<String> write(List<ProducerRecord<String, byte[]>> output, PollState next) {
    var all = new ArrayList<>(output);
    all.add(
        new ProducerRecord<>(
            topic, null, source, RecordJson.bytes(next), EventHeaders.schema("poll-state/1")));
    // Before it is sent: no witness can have seen it earlier.
    long began = nanos.getAsLong();
    Optional<String> why = publisher.commit(all);
    why.ifPresentOrElse(this::failed, () -> tookEffect(next, began));
    return why;
  }

  private void tookEffect(PollState written, long began) {
    state = written;
    news = news.written();
    leave.renew(began);
    if (written.owner().equals(PollWitness.NOBODY)) {
      lastWrite.gaveBack();
    } else {
      lastWrite.tookEffect(began);
    }
  }

  private void failed(String why) {
    leave.lose();
    lastWrite.failed(why);
  }
}
