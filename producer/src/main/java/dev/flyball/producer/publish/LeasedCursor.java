package dev.flyball.producer.publish;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.poll.PollState;
import dev.flyball.contract.poll.Trouble;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.producer.change.ChangePlan.Publication;
import dev.flyball.producer.change.PollCursor;
import dev.flyball.producer.change.Published;
import dev.flyball.producer.lease.LeaseRenewer;
import dev.flyball.producer.lease.PollClocks;
import dev.flyball.producer.lease.PollPermission;
import dev.flyball.producer.lease.PollWitness;
import dev.flyball.tracker.PollResult;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
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
public final class LeasedCursor implements LeaseRenewer.Lease, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LeasedCursor.class);

  /** A frozen producer's transaction delays readers of committed records by this at most. */
  static final Duration TRANSACTION_LIMIT = Duration.ofSeconds(60);

  private final KafkaClients clients;
  private final String source;
  private final PollStateReader reader;
  private final OwnerFile owner;
  private final LongSupplier nanos;
  private final PollWitness witness;
  private final PollPermission permission;
  private final SnapshotPublisher publisher;
  private final Topics topics;

  /**
   * When the newest write of the lease began that took effect; null while the lease is not known to
   * be ours. Written under the monitor; read by health at any moment, which cannot wait as long as
   * a write may take.
   */
  private volatile @Nullable Long effective;

  /** Why the last write took no effect; null if it did. Written and read as the one above. */
  private volatile @Nullable String failure;

  /** The record; its state is null if there is none. */
  private final KnownRecord known;

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
    this.clients = clients;
    this.source = source;
    this.reader = reader;
    this.owner = owner;
    this.nanos = nanos;
    this.witness = new PollWitness(clocks.lease());
    this.permission = new PollPermission(clocks, nanos);
    this.publisher = new SnapshotPublisher(clients, source);
    this.topics = clients.topics();
    this.known = new KnownRecord(source, owner);
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
          NotPolled.lasting("no longer polled by this process: its lease was given back"));
    }
    if (publisher.isOpen() && !permission.isLost()) {
      return Optional.empty();
    }
    try {
      // After a freeze only a commit proves that the lease is still ours.
      PollState ours = known.state();
      if (publisher.isOpen() && ours != null) {
        renew(ours);
      }
      if (publisher.isOpen()) {
        return Optional.empty();
      }
      look();
      Optional<PollWitness.Held> holder = holder();
      return holder.isPresent() ? holder.map(NotPolled::of) : takeOver().map(NotPolled::passing);
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
    known.read(found);
    witness.observe(found, nanos.getAsLong());
    if (!known.isOurs()) {
      effective = null;
    }
  }

  /** Whether this process holds the lease as far as it knows; only a commit proves it. */
  public synchronized boolean held() {
    return publisher.isOpen();
  }

  /** Whether another producer holds the lease, as of the last read. */
  public synchronized boolean heldByAnother() {
    return !held() && holder().isPresent();
  }

  private Optional<PollWitness.Held> holder() {
    return witness.holder(owner.current(), nanos.getAsLong());
  }

  /** The committed cursor, null before the first poll. */
  public synchronized @Nullable String cursor() {
    return known.cursor();
  }

  /**
   * Reads back from work-items what any holder of the lease published, to the end that the log has
   * now. A producer that takes a source over has no local copy, and would otherwise publish twice
   * what changed shortly before the cursor. As in poll-state, the last holder's commit may lie
   * behind another source's open transaction.
   *
   * @param from null for all that is kept
   * @throws KafkaException if the broker does not answer in time
   */
  public Published publishedSince(@Nullable Instant from) {
    try (var log = CommittedLog.of(clients, topics.workItems())) {
      Map<TopicPartition, Long> ends = log.ends();
      if (from != null) {
        log.seek(from, ends);
      }
      var published = new Published();
      log.read(ends, record -> learn(record, published));
      return published;
    }
  }

  private void learn(ConsumerRecord<String, byte[]> record, Published published) {
    String digest = EventHeaders.text(record.headers(), EventHeaders.DIGEST);
    if (record.key() == null || record.value() == null || digest == null) {
      return;
    }
    try {
      ItemKey item = ItemKey.parse(record.key());
      if (item.sourceKey().equals(source)) {
        Snapshot snapshot = RecordJson.read(record.value(), Snapshot.class);
        published.add(item, digest, snapshot.fingerprint().version(), snapshot.changedAt());
      }
    } catch (UnreadableRecord | IllegalArgumentException e) {
      // No producer of ours wrote it; triage makes it a dead letter.
      return;
    }
  }

  /** A poll begins; returns when the source was first polled, by any producer. */
  public synchronized Instant begin(Instant start) {
    return known.begin(start);
  }

  /** When the last poll by any producer ended, by that producer's wall clock. */
  public synchronized Optional<Instant> polledAt() {
    return known.polledAt();
  }

  /** When the last poll by any producer ended that had no trouble; empty if none is known. */
  public synchronized Optional<Instant> succeededAt() {
    return known.succeededAt();
  }

  /** What restricts polls of the tracker now: failures or a pause; null if nothing does. */
  public synchronized @Nullable Trouble trouble() {
    return known.trouble();
  }

  /**
   * Records that a poll ended without anything to commit. It is written with the next renewal;
   * trouble that began or ended is written immediately, because the next holder continues from it.
   */
  public synchronized void polled(Instant at, @Nullable Trouble now) {
    PollState held = known.state();
    known.ended(at, now);
    if (publisher.isOpen() && held != null && !Objects.equals(now, held.trouble())) {
      write(List.of(), known.next(held, held.cursor()))
          .ifPresent(why -> LOG.warn("trouble of {} is not written: {}", source, why));
    }
  }

  /**
   * Commits what a poll publishes together with the cursor, all or nothing.
   *
   * @param unread lines that become dead letters
   * @param now what restricts polls of the tracker from here on; null if nothing does
   * @return what went wrong, one line; the lease must then be taken again, which shows what was
   *     committed
   */
  public synchronized Optional<String> commit(
      List<Publication> publications,
      List<PollResult.Unread> unread,
      PollCursor cursor,
      Instant at,
      @Nullable Trouble now) {
    PollState held = known.state();
    if (!publisher.isOpen() || held == null) {
      return Optional.of("the poll lease was lost");
    }
    known.ended(at, now);
    return write(records(publications, unread, at), known.next(held, cursor.toString()));
  }

  /**
   * Renews the lease. A lease that was lost by a failed write is taken again if its record still
   * has our name: without renewals another producer would take it long before the next poll is due.
   */
  @Override
  public synchronized void beat() {
    PollState held = known.state();
    if (publisher.isOpen() && held != null) {
      renew(held);
    } else if (effective != null) {
      look();
      if (known.isOurs()) {
        take()
            .ifPresent(
                why -> LOG.warn("poll lease {} is not taken again: {}", source, why.reason()));
      }
    }
  }

  private void renew(PollState held) {
    write(List.of(), known.next(held, held.cursor()))
        .ifPresent(why -> LOG.warn("renewal of poll lease {} failed: {}", source, why));
  }

  @Override
  public Duration silence() {
    Long began = effective;
    return began == null ? Duration.ZERO : Duration.ofNanos(nanos.getAsLong() - began);
  }

  @Override
  public Optional<String> failure() {
    return Optional.ofNullable(failure);
  }

  /** The silent producer from which the lease was taken last; empty if it was free. */
  public synchronized Optional<String> takenFrom() {
    return known.takenFrom();
  }

  /**
   * Gives the lease back, so that the next producer need not wait for it. It keeps the lease while
   * a poll still has a request open, because the next holder would then ask the tracker at the same
   * time. The lease is not taken again.
   */
  @Override
  public synchronized void close() {
    closed = true;
    PollState held = known.state();
    if (permission.isInUse()) {
      LOG.warn("poll lease {} is not given back: a request to its tracker is still open", source);
    } else if (publisher.isOpen() && held != null) {
      write(List.of(), known.givenBack(held))
          .ifPresent(why -> LOG.info("poll lease {} could not be given back: {}", source, why));
    }
    publisher.close();
    effective = null;
  }

  private Optional<String> takeOver() {
    PollState before = known.state();
    known.takingOver();
    publisher.open();
    // Opening fenced all other producers and ended their open transactions: only now is the record
    // final. It may lie after another source's open transaction, and the record before it has an
    // old cursor.
    look(reader.readToEnd(source));
    if (!Objects.equals(before, known.state()) && !known.isOurs()) {
      publisher.close();
      return Optional.of("another producer took the poll lease at this moment");
    }
    return write(List.of(), known.takenOver());
  }

  private Optional<String> write(List<ProducerRecord<String, byte[]>> output, PollState next) {
    var all = new ArrayList<>(output);
    all.add(record(topics.pollState(), source, next));
    // Read before the write is sent: no witness can have seen the record earlier.
    long began = nanos.getAsLong();
    Optional<String> why = publisher.commit(all);
    if (why.isPresent()) {
      // It may have taken effect all the same; the effective write before it still counts.
      permission.lose();
      failure = why.get();
    } else {
      known.written(next);
      permission.renew(began);
      effective = known.isOurs() ? began : null;
      failure = null;
    }
    return why;
  }

  /** A poll's output as records. An unreadable line has no key; its record has the source's. */
  private List<ProducerRecord<String, byte[]>> records(
      List<Publication> publications, List<PollResult.Unread> unread, Instant at) {
    var records = new ArrayList<ProducerRecord<String, byte[]>>();
    for (Publication each : publications) {
      String key = each.item().key().toString();
      var item = record(topics.workItems(), key, each.snapshot());
      String digest = each.item().digest();
      item.headers().add(EventHeaders.DIGEST, digest.getBytes(StandardCharsets.UTF_8));
      var _ = EventHeaders.trace(item.headers(), key, each.snapshot().revision());
      records.add(item);
    }
    for (var line : unread) {
      records.add(
          record(
              topics.deadLetters(),
              source,
              new DeadLetter(
                  line.reason(), line.place(), -1, line.line(), line.value(), "producer", at)));
    }
    return records;
  }

  private ProducerRecord<String, byte[]> record(String topic, String key, Object value) {
    return new ProducerRecord<>(
        topic,
        null,
        key,
        RecordJson.bytes(value),
        EventHeaders.schema(topics.spec(topic).schema()));
  }

  /**
   * Writes a source's snapshots, its cursor and its dead letters in one transaction. The
   * transactional id belongs to the source, so opening one fences every older poller of that
   * source. One thread at a time.
   */
  private static final class SnapshotPublisher implements AutoCloseable {
    private final KafkaClients clients;
    private final Map<String, Object> required;
    private @Nullable KafkaProducer<String, byte[]> producer;

    SnapshotPublisher(KafkaClients clients, String source) {
      this.clients = clients;
      this.required =
          Map.of(
              "transactional.id",
              clients.topics().prefix() + "producer/" + source,
              "transaction.timeout.ms",
              (int) TRANSACTION_LIMIT.toMillis(),
              "linger.ms",
              5,
              "buffer.memory",
              16L << 20,
              "max.block.ms",
              15_000,
              "request.timeout.ms",
              10_000,
              "delivery.timeout.ms",
              30_000);
    }

    boolean isOpen() {
      return producer != null;
    }

    /**
     * Fences every older poller of this source, and ends the transaction that it left open.
     *
     * @throws KafkaException if the broker does not answer in time
     */
    void open() {
      close();
      var next = clients.producer("snapshots", required);
      try {
        next.initTransactions();
        producer = next;
      } finally {
        if (producer == null) {
          next.close(Duration.ZERO);
        }
      }
    }

    /**
     * Commits all records or none. After a failure it is unknown which: the publisher is closed,
     * and the caller must open one again and read poll-state to learn it.
     *
     * @return what went wrong, one line; empty if nothing did
     */
    Optional<String> commit(List<ProducerRecord<String, byte[]>> records) {
      KafkaProducer<String, byte[]> open = producer;
      if (open == null) {
        throw new IllegalStateException("not open");
      }
      try {
        open.beginTransaction();
        for (var record : records) {
          // The commit fails if any send failed.
          var _ = open.send(record);
        }
        open.commitTransaction();
        return Optional.empty();
      } catch (RuntimeException e) {
        LOG.debug("transaction failed", e);
        close();
        Throwable cause = e.getCause() instanceof KafkaException inner ? inner : e;
        return Optional.of(cause.getClass().getSimpleName() + ": " + cause.getMessage());
      }
    }

    @Override
    public void close() {
      KafkaProducer<String, byte[]> open = producer;
      producer = null;
      if (open != null) {
        open.close(Duration.ofSeconds(1));
      }
    }
  }
}
