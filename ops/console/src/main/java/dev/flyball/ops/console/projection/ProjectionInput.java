package dev.flyball.ops.console.projection;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.Folded;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.metric.MetricWindow;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.LedgerReader;
import dev.flyball.kafka.LedgerRecord;
import dev.flyball.ops.telemetry.Health;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The topics of which the projection is made, read from the position stored with its rows. One
 * thread.
 */
final class ProjectionInput implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ProjectionInput.class);

  /** How often Kafka is asked whether it answers. */
  private static final Duration CONTACT = Duration.ofSeconds(5);

  /** Without an answer for longer than this, the projection is reported as old. */
  private static final Duration SILENCE = CONTACT.multipliedBy(3);

  /** How often the ledger is stored while entries come; once none comes, immediately. */
  private static final Duration KEEP = Duration.ofSeconds(1);

  private final Topics topics;
  private final Projection projection;
  private final ProjectionTopics assigned;
  private final Consumer<String, byte[]> consumer;
  private final LedgerReader ledgerReader;
  private final TopicPartition ledgerPartition;
  private final Invariants invariants;
  private final UnreadableRecords unreadable;
  private LedgerState ledger;
  private boolean ledgerShown;
  private boolean ledgerKept;
  private long keptTo;
  private Instant kept = Instant.MIN;
  private Instant asOf = Instant.MIN;
  private EventLag lag = EventLag.NONE;
  private LeaseAudit audit;

  /** Polled and not committed yet. */
  private List<ConsumerRecord<String, byte[]>> polled = List.of();

  private boolean ledgerMoved;

  private ProjectionInput(KafkaClients clients, Projection projection, Runnable buried) {
    this.topics = clients.topics();
    this.projection = projection;
    this.ledgerPartition = new TopicPartition(topics.sessionLedger(), 0);
    this.ledgerReader = LedgerReader.open(clients, CONTACT);
    this.ledger = ledgerReader.start();
    this.invariants = new Invariants(ledger);
    this.audit = projection.audit(ledgerReader.topicId(), ledger.offset());
    this.consumer = clients.consumer("projection", Map.of("auto.offset.reset", "none"));
    this.unreadable = new UnreadableRecords(clients, buried);
    this.assigned =
        new ProjectionTopics(
            clients,
            projection,
            consumer,
            Set.of(
                topics.sessionEvents(),
                topics.itemState(),
                topics.sessionRequests(),
                topics.analyses(),
                topics.deadLetters(),
                topics.metrics(),
                topics.sessionLedger()),
            Map.of(topics.sessionLedger(), ledgerReader.topicId()));
  }

  /** Opens the topics that exist, or fails as Kafka does; {@code buried} counts dead letters. */
  static ProjectionInput open(KafkaClients clients, Projection projection, Runnable buried) {
    var feed = new ProjectionInput(clients, projection, buried);
    try {
      feed.auditAgain(feed.assigned.assign());
      return feed;
    } catch (RuntimeException e) {
      feed.close();
      throw e;
    }
  }

  LedgerState ledger() {
    return ledger;
  }

  EventLag lag() {
    return lag;
  }

  /**
   * Whether Kafka answers and the ledger is read up to the end that it had when this was opened.
   *
   * @param now the wall clock
   */
  Health health(Instant now) {
    Instant contact = ledgerReader.answered();
    if (contact.plus(SILENCE).isBefore(now)) {
      return new Health(
          Health.Status.DEGRADED,
          false,
          List.of("Kafka has not answered since " + contact.truncatedTo(ChronoUnit.SECONDS)));
    }
    return ledgerReader.caughtUp() ? Health.healthy() : Health.starting("reading the ledger");
  }

  /**
   * Reads the next records, waiting at most this long for some. Until {@link #commit} has stored
   * them, the lag contains them.
   */
  void poll(Duration atMost) {
    auditAgain(assigned.assignMissing());
    var records = new ArrayList<ConsumerRecord<String, byte[]>>();
    try {
      consumer.poll(atMost).forEach(records::add);
    } catch (LogTruncationException e) {
      LOG.warn("a topic has lost records that were read; rebuilding the projection", e);
      projection.commit(projection::forget);
      throw e;
    }
    polled = List.copyOf(records);
    lag = lag.with(polled, consumer, topics.sessionEvents());
    ledgerMoved = foldLedger(atMost);
  }

  /**
   * Stores what was polled; the ledger, while it moves, only once a second or if {@code keepNow}.
   */
  void commit(boolean keepNow) {
    Instant now = Instant.now();
    Instant contact = ledgerReader.answered();
    ledgerKept &= !ledgerMoved;
    boolean keep = !ledgerKept && (keepNow || !ledgerMoved || kept.plus(KEEP).isBefore(now));
    if (polled.isEmpty() && !ledgerMoved && !keep && !contact.isAfter(asOf)) {
      return;
    }
    projection.commit(() -> {
      for (ConsumerRecord<String, byte[]> record : polled) {
        fold(record);
      }
      for (TopicPartition partition : consumer.assignment()) {
        projection.positions().put(partition, consumer.position(partition));
      }
      projection.ledger().put(ledger, invariants, now);
      audit.store();
      if (keep) {
        projection.ledger().keep(ledger);
      }
      if (contact.isAfter(asOf)) {
        projection.asOf(contact);
      }
    });
    if (keep) {
      ledgerKept = true;
      keptTo = ledgerReader.position();
      kept = now;
    }
    ledgerShown = true;
    asOf = contact;
    lag = lag.stored(polled, topics.sessionEvents());
  }

  /** Where each partition ends now. */
  Map<TopicPartition, Long> ends() {
    auditAgain(assigned.assign());
    var partitions = new HashSet<>(consumer.assignment());
    partitions.add(ledgerPartition);
    return consumer.endOffsets(partitions);
  }

  /** Whether everything before these ends is in the projection. */
  boolean reached(Map<TopicPartition, Long> ends) {
    return ledgerShown
        && ends.entrySet().stream().allMatch(end -> shown(end.getKey()) >= end.getValue());
  }

  private long shown(TopicPartition partition) {
    long read = consumer.position(partition);
    return partition.equals(ledgerPartition) ? Math.min(keptTo, read) : read;
  }

  @Override
  public void close() {
    consumer.close();
    ledgerReader.close();
    unreadable.close();
  }

  private void auditAgain(boolean rebuilding) {
    if (rebuilding) {
      audit = projection.audit(ledgerReader.topicId(), ledger.offset());
    }
  }

  private LedgerState folded(LedgerEntry entry, LedgerRecord record) {
    Folded next = ledger.fold(entry, record.offset(), record.appendTime());
    return audit.after(next, record.offset(), record.appendTime());
  }

  private boolean foldLedger(Duration atMost) {
    boolean moved = !ledgerShown;
    // A new consumer that is polled without waiting takes many polls to fetch its first record.
    Duration wait = ledgerReader.caughtUp() ? Duration.ZERO : atMost;
    for (LedgerRecord record : ledgerReader.poll(wait)) {
      ledger =
          record
              .maybeEntry()
              .map(entry -> folded(entry, record))
              .orElseGet(() -> ledger.skip(record.offset()));
      invariants.observe(ledger, record.appendTime());
      moved = true;
    }
    return moved;
  }

  /**
   * Folds a record. Unreadable states and analyses become dead letters; others read the rest too.
   */
  private void fold(ConsumerRecord<String, byte[]> record) throws SQLException {
    try {
      if (record.topic().equals(topics.sessionEvents())) {
        if (record.value() != null) {
          LifecycleEvent event = EventHeaders.read(record.headers(), record.value());
          projection.event(event);
          audit.saw(event);
        }
      } else if (record.topic().equals(topics.itemState())) {
        projection.items().put(record.key(), value(record, ItemState.class));
      } else if (record.topic().equals(topics.analyses())) {
        projection.items().analysis(record.key(), value(record, Analysis.class));
      } else if (record.topic().equals(topics.sessionRequests())) {
        projection.items().request(record.key(), value(record, SessionRequest.class));
      } else if (record.topic().equals(topics.metrics())) {
        projection.history().window(RecordJson.read(record.value(), MetricWindow.class));
      } else if (record.topic().equals(topics.sessionLedger())) {
        projection.history().entry(record);
      } else {
        projection.deadLetter(record);
      }
    } catch (RuntimeException e) {
      // Whatever the cause, for example a time out of range: it would occur again at every start.
      LOG.warn(
          "unreadable record topic={} partition={} offset={}: {}",
          record.topic(),
          record.partition(),
          record.offset(),
          e.getMessage());
      if (Set.of(topics.itemState(), topics.analyses()).contains(record.topic())) {
        unreadable.bury(record, String.valueOf(e.getMessage()));
      }
    }
  }

  static KafkaException failed(Exception e) {
    if (e instanceof InterruptedException) {
      Thread.currentThread().interrupt();
    }
    return new KafkaException(String.valueOf(e.getCause() == null ? e : e.getCause()), e);
  }

  private static <T> @Nullable T value(ConsumerRecord<String, byte[]> record, Class<T> type) {
    return record.value() == null ? null : RecordJson.read(record.value(), type);
  }
}
