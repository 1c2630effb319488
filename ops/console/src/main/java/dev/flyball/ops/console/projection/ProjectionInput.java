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
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
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

  /** How often a missing topic is looked up again. */
  private static final Duration LOOK = Duration.ofSeconds(1);

  private static final Duration AS_OF = Duration.ofSeconds(5);

  /** How often the ledger is stored while entries come; once none comes, immediately. */
  private static final Duration KEEP = Duration.ofSeconds(1);

  private final KafkaClients clients;
  private final Topics topics;
  private final Projection projection;
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
  private Set<String> missing;
  private Instant looked = Instant.MIN;
  private Instant asOf = Instant.MIN;
  private EventLag lag = EventLag.NONE;
  private LeaseAudit audit;

  private ProjectionInput(KafkaClients clients, Projection projection, Runnable buried) {
    this.clients = clients;
    this.topics = clients.topics();
    this.projection = projection;
    this.ledgerPartition = new TopicPartition(topics.sessionLedger(), 0);
    this.missing = new HashSet<>(List.of(topics.sessionEvents(), topics.itemState()));
    missing.addAll(List.of(topics.sessionRequests(), topics.analyses(), topics.deadLetters()));
    missing.addAll(List.of(topics.metrics(), ledgerPartition.topic()));
    this.ledgerReader = LedgerReader.open(clients);
    this.ledger = ledgerReader.start();
    this.invariants = new Invariants(ledger);
    this.audit = projection.audit(ledgerReader.topicId(), ledger.offset());
    this.consumer = clients.consumer("projection");
    this.unreadable = new UnreadableRecords(clients, buried);
  }

  /** Opens the topics that exist, or fails as Kafka does; {@code buried} counts dead letters. */
  static ProjectionInput open(KafkaClients clients, Projection projection, Runnable buried) {
    var feed = new ProjectionInput(clients, projection, buried);
    try {
      feed.look();
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
   * Reads the next records, waiting at most this long for some, and commits them to the projection;
   * the ledger, while it moves, only once a second or if {@code keepNow}.
   */
  void read(Duration atMost, boolean keepNow) {
    if (!missing.isEmpty() && looked.plus(LOOK).isBefore(Instant.now())) {
      look();
    }
    List<ConsumerRecord<String, byte[]>> records = new ArrayList<>();
    consumer.poll(atMost).forEach(records::add);
    lag = lag.after(records, consumer, topics.sessionEvents());
    boolean ledgerMoved = foldLedger(atMost);
    Instant now = Instant.now();
    ledgerKept &= !ledgerMoved;
    boolean keep = !ledgerKept && (keepNow || !ledgerMoved || kept.plus(KEEP).isBefore(now));
    if (records.isEmpty() && !ledgerMoved && !keep && now.isBefore(asOf.plus(AS_OF))) {
      return;
    }
    projection.commit(() -> {
      for (ConsumerRecord<String, byte[]> record : records) {
        fold(record);
      }
      for (TopicPartition partition : consumer.assignment()) {
        projection.read(partition, consumer.position(partition));
      }
      projection.ledger().put(ledger, invariants, now);
      audit.store();
      if (keep) {
        projection.ledger().keep(ledger);
      }
      projection.asOf(now);
    });
    if (keep) {
      ledgerKept = true;
      keptTo = ledgerReader.position();
      kept = now;
    }
    ledgerShown = true;
    asOf = now;
  }

  /** Where each partition ends now. */
  Map<TopicPartition, Long> ends() {
    if (!missing.isEmpty()) {
      look();
    }
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
   * Assigns topics that have appeared, after checking that the projection's rows belong to this
   * cluster.
   */
  private void look() {
    looked = Instant.now();
    var found = new HashMap<String, TopicDescription>();
    var ids = new HashMap<String, String>();
    describe(found, ids);
    ids.put(topics.sessionLedger(), ledgerReader.topicId());
    if (missing.stream().noneMatch(found::containsKey)) {
      return;
    }
    projection.commit(() -> {
      if (projection.belongTo(ids)) {
        audit = projection.audit(ledgerReader.topicId(), ledger.offset());
        LOG.warn(
            "the projection belongs to another cluster or to topics that were recreated; rebuilding"
                + " it");
      }
      assign(found);
    });
    missing.removeAll(found.keySet());
  }

  private void assign(Map<String, TopicDescription> found) throws SQLException {
    var positions = new HashMap<TopicPartition, Long>();
    for (TopicPartition partition : consumer.assignment()) {
      positions.put(partition, consumer.position(partition));
    }
    for (TopicDescription topic : found.values()) {
      for (var info : topic.partitions()) {
        var partition = new TopicPartition(topic.name(), info.partition());
        if (!positions.containsKey(partition)) {
          positions.put(partition, projection.next(partition));
        }
      }
    }
    consumer.assign(positions.keySet());
    positions.forEach(consumer::seek);
  }

  private void describe(Map<String, TopicDescription> found, Map<String, String> ids) {
    Set<String> wanted = new HashSet<>(missing);
    consumer.assignment().forEach(partition -> wanted.add(partition.topic()));
    try (Admin admin = clients.admin("console")) {
      ids.put("cluster", admin.describeCluster().clusterId().get());
      wanted.retainAll(admin.listTopics().names().get());
      found.putAll(admin.describeTopics(wanted).allTopicNames().get());
      found.forEach((name, topic) -> ids.put(name, topic.topicId().toString()));
    } catch (ExecutionException | InterruptedException e) {
      throw failed(e);
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
