package dev.flyball.producer.publish;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.poll.PollState;
import dev.flyball.contract.poll.Trouble;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.producer.change.PollCursor;
import dev.flyball.producer.change.Published;
import dev.flyball.producer.history.OwnerFile;
import dev.flyball.producer.lease.LeaseStatus;
import dev.flyball.producer.lease.PollClocks;
import dev.flyball.producer.lease.PollPermission;
import dev.flyball.producer.lease.PollWitness;
import dev.flyball.producer.lease.Renewable;
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
 * One source's record in poll-state: its lease and its cursor. Only the lease's holder writes it,
 * always in the one transactional producer that fences its predecessors. So of two processes that
 * both believe they hold the lease, only one can commit.
 *
 * <p>The polling thread takes the lease, commits and records polls; the renewing thread renews; the
 * thread that stops the producer closes. They run one at a time, under this object's monitor, which
 * guards every field that changes. Only what health reads needs no monitor, because a write may
 * hold it for long.
 */
public final class LeasedCursor implements Renewable, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LeasedCursor.class);

  private final String source;
  private final String topic;
  private final PollStateReader reader;
  private final OwnerFile owner;
  private final LongSupplier nanos;
  private final PollWitness witness;
  private final PollPermission permission;
  private final SnapshotPublisher publisher;
  private final PollRecords records;
  private final PublishedReader published;
  private final RenewalStatus renewals = new RenewalStatus();

  /**
   * The record as it is committed, as far as this process read or wrote it; null if there is none.
   * Set by every read and every write that took effect.
   */
  private @Nullable PollState state;

  /**
   * The epoch that this process holds or held last; -1 before the first. Set by a takeover, and by
   * a read that finds our name used by a copy of this data folder.
   */
  private long epoch = -1;

  /**
   * The producer from which the lease was last taken because it was silent; null if the lease was
   * free. Set by a takeover.
   */
  private @Nullable String takenFrom;

  /** How polls ended; what no record holds yet is written with the next one. */
  private UnwrittenPoll unwritten = UnwrittenPoll.NONE;

  /** Whether the lease was given back for good. */
  private boolean closed;

  /**
   * Opens nothing yet.
   *
   * @param source {@code tenant/source}
   * @param clocks the lease and the clocks that depend on it
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
    this.permission = new PollPermission(clocks, nanos);
    this.publisher = new SnapshotPublisher(clients, source);
    this.records = new PollRecords(clients.topics());
    this.published = new PublishedReader(clients);
  }

  /**
   * Takes the lease, or finds it held by this process.
   *
   * @return why not; empty if it is held
   */
  public synchronized Optional<NotPolled> take() {
    if (closed) {
      // No thread would renew the lease for a poll that comes this late.
      return Optional.of(
          new NotPolled.Lasting("no longer polled by this process: its lease was given back"));
    }
    if (publisher.isOpen() && !permission.isLost()) {
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
      return switch (witness.status(owner.current(), nanos.getAsLong())) {
        case LeaseStatus.Held held -> Optional.of(NotPolled.of(held));
        case LeaseStatus.Free free -> takeOver(free.epoch()).map(NotPolled.Passing::new);
      };
    } catch (KafkaException e) {
      publisher.close();
      return Optional.of(NotPolled.of(e));
    }
  }

  /** The permission to ask the tracker, which ends before another producer could take the lease. */
  public PollPermission permission() {
    return permission;
  }

  /** Reads the committed record, for a witness and for the time of the last poll. */
  public synchronized void look() {
    look(reader.read(source));
  }

  private void look(@Nullable PollState found) {
    if (found != null
        && found.owner().equals(owner.current())
        && epoch >= 0
        && found.epoch() > epoch) {
      LOG.warn(
          "poll lease of {}: another process uses this producer's id (data folder copied?);"
              + " generating a new id",
          source);
      owner.renew();
      epoch = -1;
    }
    witness.observe(found, nanos.getAsLong());
    state = found;
    if (!isOurs(found)) {
      renewals.notOurs();
    }
    unwritten =
        found != null && isAnothers(found) ? unwritten.readOfAnother(found) : unwritten.read(found);
  }

  /** Whether another process wrote the record after this process held the lease. */
  private boolean isAnothers(PollState found) {
    return found.epoch() > epoch || (!isOurs(found) && !found.owner().equals(PollWitness.NOBODY));
  }

  /** Whether this process holds the lease as far as it knows; only a commit proves it. */
  public synchronized boolean held() {
    return publisher.isOpen();
  }

  /** Whether another producer holds the lease, as of the last read. */
  public synchronized boolean heldByAnother() {
    return !held()
        && witness.status(owner.current(), nanos.getAsLong()) instanceof LeaseStatus.Held;
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
   * What was published of this source, by any holder of its lease.
   *
   * @param from null for all that is kept
   * @throws OpenTransaction if it cannot be read to its end yet
   * @throws KafkaException if the broker does not answer in time
   */
  public Published publishedSince(@Nullable Instant from) {
    return published.since(source, from);
  }

  /** When the last poll by any producer ended, by that producer's wall clock. */
  public synchronized Optional<Instant> polledAt() {
    return Optional.ofNullable(unwritten.lastPoll(state));
  }

  /** What restricts polls of the tracker now: failures or a pause; null if nothing does. */
  public synchronized @Nullable Trouble trouble() {
    return unwritten.trouble();
  }

  /**
   * Records that a poll ended without anything to commit. It is written with the next renewal;
   * trouble that began or ended is written immediately, because the next holder continues from it.
   */
  public synchronized void polled(Instant at, @Nullable Trouble now) {
    PollState held = state;
    unwritten = unwritten.ended(at, now);
    if (publisher.isOpen() && held != null && !Objects.equals(now, held.trouble())) {
      write(List.of(), next(held))
          .ifPresent(why -> LOG.warn("trouble of {} is not written: {}", source, why));
    }
  }

  /**
   * Commits a poll's output together with the cursor, all or nothing.
   *
   * @param now what restricts polls of the tracker from here on; null if nothing does
   * @return what went wrong, one line; the lease must then be taken again, which shows what was
   *     committed
   */
  public synchronized Optional<String> commit(
      PollOutput output, PollCursor cursor, Instant at, @Nullable Trouble now) {
    PollState held = state;
    if (!publisher.isOpen() || held == null) {
      return Optional.of("the poll lease was lost");
    }
    unwritten = unwritten.ended(at, now);
    return write(records.of(source, output, at), next(held, owner.current(), cursor.toString()));
  }

  /**
   * Renews the lease. A lease that was lost by a failed write is taken again if its record still
   * has our name: without renewals another producer would take it long before the next poll is due.
   */
  @Override
  public synchronized void beat() {
    PollState held = state;
    if (publisher.isOpen() && held != null) {
      renew(held);
    } else if (renewals.isOurs()) {
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
        .ifPresent(why -> LOG.warn("renewal of poll lease {} failed: {}", source, why));
  }

  @Override
  public Duration silence() {
    return renewals.silence(nanos.getAsLong());
  }

  @Override
  public Optional<String> failure() {
    return renewals.failure();
  }

  /**
   * The producer from which the lease was last taken because it had been silent; empty if the lease
   * was free.
   */
  public synchronized Optional<String> takenFrom() {
    return Optional.ofNullable(takenFrom);
  }

  /**
   * Gives the lease back, so that the next producer need not wait for it. It keeps the lease while
   * a poll still has a request open, because the next holder would then ask the tracker at the same
   * time. The lease is not taken again.
   */
  @Override
  public synchronized void close() {
    closed = true;
    PollState held = state;
    if (permission.isInUse()) {
      LOG.warn("poll lease {} is not given back: a request to its tracker is still open", source);
    } else if (publisher.isOpen() && held != null) {
      write(List.of(), next(held, PollWitness.NOBODY, held.cursor()))
          .ifPresent(why -> LOG.info("poll lease {} could not be given back: {}", source, why));
    }
    publisher.close();
    renewals.notOurs();
  }

  private Optional<String> takeOver(long next) {
    PollState before = state;
    takenFrom =
        before == null || isOurs(before) || before.owner().equals(PollWitness.NOBODY)
            ? null
            : before.owner();
    publisher.open();
    // Opening fenced all other producers and ended their open transactions: only now is the record
    // final. It may lie after another source's open transaction, and the record before it has an
    // old cursor.
    look(reader.readToEnd(source));
    PollState found = state;
    if (!Objects.equals(before, found) && !isOurs(found)) {
      publisher.close();
      return Optional.of("another producer took the poll lease at this moment");
    }
    // Our own commit, from before a crash or a timeout, may have taken effect only now.
    epoch = found == null ? next : Math.max(next, found.epoch() + 1);
    String cursor = found == null ? null : found.cursor();
    return write(
        List.of(),
        new PollState(
            owner.current(), epoch, 0, cursor, unwritten.lastPoll(found), unwritten.trouble()));
  }

  private boolean isOurs(@Nullable PollState found) {
    return found != null && found.owner().equals(owner.current());
  }

  private PollState next(PollState held) {
    return next(held, owner.current(), held.cursor());
  }

  private PollState next(PollState held, String by, @Nullable String cursor) {
    return new PollState(
        by, epoch, held.beat() + 1, cursor, unwritten.lastPoll(held), unwritten.trouble());
  }

  private Optional<String> write(List<ProducerRecord<String, byte[]>> output, PollState next) {
    var all = new ArrayList<>(output);
    all.add(
        new ProducerRecord<>(
            topic, null, source, RecordJson.bytes(next), EventHeaders.schema("poll-state/1")));
    // Read before the write is sent: no witness can have seen the record earlier.
    long began = nanos.getAsLong();
    Optional<String> why = publisher.commit(all);
    why.ifPresentOrElse(this::failed, () -> tookEffect(next, began));
    return why;
  }

  private void tookEffect(PollState written, long began) {
    state = written;
    unwritten = unwritten.written();
    permission.renew(began);
    if (written.owner().equals(PollWitness.NOBODY)) {
      renewals.gaveBack();
    } else {
      renewals.tookEffect(began);
    }
  }

  private void failed(String why) {
    permission.lose();
    renewals.failed(why);
  }
}
