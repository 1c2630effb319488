package dev.flyball.ops.console.projection;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.metric.MetricWindow;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaClients;
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

/** The topics of the projection, read from the position stored with its rows. One thread. */
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
  private final LedgerInput ledger;
  private final UnreadableRecords unreadable;
  private boolean ledgerShown;
  private Instant kept = Instant.MIN;
  private Instant asOf = Instant.MIN;
  private EventLag lag = EventLag.NONE;
  private boolean ledgerMoved;

  /** Polled and not committed yet. */
  private List<ConsumerRecord<String, byte[]>> polled = List.of();

  private ProjectionInput(KafkaClients clients, Projection projection, Runnable buried) {
    this.topics = clients.topics();
    this.projection = projection;
    this.ledger = new LedgerInput(clients, projection, CONTACT);
    this.consumer = clients.follower("projection", Map.of("auto.offset.reset", "none"));
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
            Map.of(topics.sessionLedger(), ledger.reader().topicId()));
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

  /** The ledger as far as it was read. */
  LedgerState ledger() {
    return ledger.state();
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
    Instant contact = ledger.answered();
    if (contact.plus(SILENCE).isBefore(now)) {
      return new Health(
          Health.Status.DEGRADED,
          false,
          List.of("Kafka has not answered since " + contact.truncatedTo(ChronoUnit.SECONDS)));
    }
    return ledger.reader().caughtUp() ? Health.healthy() : Health.starting("reading the ledger");
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
    boolean moved = ledger.fold(atMost);
    ledgerMoved = moved || !ledgerShown;
  }

  /**
   * Stores what was polled; the ledger, while it moves, only once a second or if {@code keepNow}.
   */
  void commit(boolean keepNow) {
    Instant now = Instant.now();
    Instant contact = ledger.answered();
    boolean keep = !ledger.kept() && (keepNow || !ledgerMoved || kept.plus(KEEP).isBefore(now));
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
      ledger.put(now);
      if (keep) {
        ledger.keep();
      }
      if (contact.isAfter(asOf)) {
        projection.asOf(contact);
      }
    });
    if (keep) {
      ledger.keptNow();
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
    partitions.add(ledger.partition());
    return assigned.ends(partitions);
  }

  /** Whether everything before these ends is in the projection. */
  boolean reached(Map<TopicPartition, Long> ends) {
    return ledgerShown
        && ends.entrySet().stream().allMatch(end -> shown(end.getKey()) >= end.getValue());
  }

  private long shown(TopicPartition partition) {
    long read = consumer.position(partition);
    return partition.equals(ledger.partition()) ? Math.min(ledger.keptTo(), read) : read;
  }

  @Override
  public void close() {
    KafkaClients.closeFollower(consumer);
    assigned.close();
    ledger.close();
    unreadable.close();
  }

  private void auditAgain(boolean rebuilding) {
    if (rebuilding) {
      ledger.auditAgain();
    }
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
          ledger.saw(event);
        }
      } else if (record.topic().equals(topics.itemState())) {
        projection.items().put(record.key(), value(record, ItemState.class));
      } else if (record.topic().equals(topics.analyses())) {
        projection.items().analysis(record.key(), value(record, Analysis.class));
      } else if (record.topic().equals(topics.sessionRequests())) {
        projection.items().request(record.key(), value(record, SessionRequest.class));
      } else if (record.topic().equals(topics.metrics())) {
        projection.history().window(RecordJson.read(record.value(), MetricWindow.class));
      } else if (record.topic().equals(topics.deadLetters())) {
        projection.deadLetter(record);
      } else {
        projection.history().entry(record);
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
