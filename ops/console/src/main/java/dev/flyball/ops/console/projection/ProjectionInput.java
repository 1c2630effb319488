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
import dev.flyball.kafka.DeadLetterPublisher;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.telemetry.Health;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.producer.Producer;
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

  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(2);

  private final Topics topics;
  private final Projection projection;
  private final ProjectionTopics assigned;
  private final Consumer<String, byte[]> consumer;
  private final LedgerInput ledger;
  private final Producer<String, byte[]> producer;
  private final DeadLetterPublisher deadLetters;
  private final Runnable buried;

  /** Null if this console writes no metrics. */
  private final @Nullable MetricsWriter metrics;

  private boolean ledgerShown;
  private Instant kept = Instant.MIN;
  private Instant asOf = Instant.MIN;
  private EventLag lag = EventLag.NONE;
  private boolean ledgerMoved;

  /** Polled and not committed yet. */
  private List<ConsumerRecord<String, byte[]>> polled = List.of();

  private ProjectionInput(
      KafkaClients clients, Projection projection, Runnable buried, boolean writesMetrics) {
    this.topics = clients.topics();
    this.projection = projection;
    this.ledger = new LedgerInput(clients, projection, CONTACT);
    this.consumer = clients.follower("projection", Map.of("auto.offset.reset", "none"));
    this.producer = clients.producer("dead-letters");
    this.deadLetters = new DeadLetterPublisher(producer, topics, "console", InstantSource.system());
    this.buried = buried;
    this.metrics = writesMetrics ? new MetricsWriter(clients, projection) : null;
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
  static ProjectionInput open(
      KafkaClients clients, Projection projection, Runnable buried, boolean writesMetrics) {
    var feed = new ProjectionInput(clients, projection, buried, writesMetrics);
    try {
      feed.assigned.assign();
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
          List.of(
              new Health.Condition(
                  "kafka",
                  "Kafka has not answered since " + contact.truncatedTo(ChronoUnit.SECONDS))));
    }
    Health written = metrics == null ? Health.healthy() : metrics.health();
    return ledger.reader().caughtUp() ? written : Health.starting("reading the ledger");
  }

  /**
   * Reads the next records, waiting at most this long for some. Until {@link #commit} has stored
   * them, the lag contains them.
   */
  void poll(Duration atMost) {
    assigned.assignMissing();
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
        projection.positions.put(partition, consumer.position(partition));
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

  /** Writes the windows that have changed, if it is time. */
  void writeMetrics(Instant now) {
    if (metrics != null) {
      metrics.write(lag, now);
    }
  }

  /** Writes all windows that have changed. */
  void finishMetrics(Instant now) {
    if (metrics != null) {
      metrics.finish(now);
    }
  }

  /** Where each partition ends now. */
  Map<TopicPartition, Long> ends() {
    assigned.assign();
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
    producer.close(CLOSE_LIMIT);
    if (metrics != null) {
      metrics.close();
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
          if (metrics != null) {
            projection.metrics.event(event, Instant.ofEpochMilli(record.timestamp()));
          }
        }
      } else if (record.topic().equals(topics.itemState())) {
        projection.items.put(record.key(), value(record, ItemState.class));
      } else if (record.topic().equals(topics.analyses())) {
        projection.items.analysis(record.key(), value(record, Analysis.class));
      } else if (record.topic().equals(topics.sessionRequests())) {
        projection.items.request(record.key(), value(record, SessionRequest.class));
      } else if (record.topic().equals(topics.metrics())) {
        projection.history.window(RecordJson.read(record.value(), MetricWindow.class));
      } else if (record.topic().equals(topics.deadLetters())) {
        projection.deadLetter(record);
      } else {
        projection.history.entry(record);
      }
    } catch (RuntimeException e) {
      // Whatever the cause, for example a time out of range: it would occur again at every start.
      LOG.warn(
          "unreadable record topic={} partition={} offset={}: {}",
          record.topic(),
          record.partition(),
          record.offset(),
          e.getMessage());
      if (metrics != null && record.topic().equals(topics.sessionEvents())) {
        projection.metrics.unreadable(record.key(), Instant.ofEpochMilli(record.timestamp()));
      } else if (Set.of(topics.itemState(), topics.analyses()).contains(record.topic())) {
        bury(record, String.valueOf(e.getMessage()));
      }
    }
  }

  /**
   * Writes a dead letter and waits for the acknowledgement: the position is committed past the
   * record only after it.
   */
  private void bury(ConsumerRecord<String, byte[]> record, String reason) {
    try {
      var _ = deadLetters.publish(record, reason).get();
      buried.run();
    } catch (ExecutionException | InterruptedException e) {
      throw failed(e);
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

  /**
   * Which topics are read, and from where: the position stored with the rows, if it still exists.
   * Without that check a consumer that finds its position deleted would read the topic again on top
   * of the rows that it made before. Used by the projection's thread.
   */
  static final class ProjectionTopics implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ProjectionTopics.class);

    /** How often a missing topic is looked up again. */
    private static final Duration LOOK = Duration.ofSeconds(1);

    /** Kafka's own limit is a minute, in which health would not change. */
    private static final int ANSWER_MILLIS = 5_000;

    private final KafkaClients clients;
    private final Projection projection;
    private final Consumer<String, byte[]> consumer;

    /**
     * Asks for offsets. A broker answers the questions of a connection one after the other, so
     * those of {@link #consumer} would wait for its fetch, which waits for records.
     */
    private final Consumer<String, byte[]> asking;

    private final Set<String> names;
    private final Map<String, String> ledgerId;
    private final Set<String> missing;
    private Instant looked = Instant.MIN;

    /**
     * Assigns nothing yet.
     *
     * @param consumer must throw where its position does not exist, instead of choosing another
     * @param ledgerId the id of the ledger's topic by its name
     */
    ProjectionTopics(
        KafkaClients clients,
        Projection projection,
        Consumer<String, byte[]> consumer,
        Set<String> names,
        Map<String, String> ledgerId) {
      this.clients = clients;
      this.projection = projection;
      this.consumer = consumer;
      this.asking = clients.consumer("projection-ends");
      this.names = Set.copyOf(names);
      this.ledgerId = Map.copyOf(ledgerId);
      this.missing = new HashSet<>(names);
    }

    /** Does what {@link #assign} does if a topic is missing and it is time to look it up again. */
    void assignMissing() {
      if (looked.plus(LOOK).isBefore(Instant.now())) {
        assign();
      }
    }

    /**
     * Assigns topics that have appeared, after checking that the projection's rows belong to this
     * cluster and were read from these topics.
     */
    void assign() {
      looked = Instant.now();
      if (missing.isEmpty()) {
        return;
      }
      var found = new HashMap<String, TopicDescription>();
      var ids = new HashMap<>(ledgerId);
      describe(found, ids);
      if (missing.stream().noneMatch(found::containsKey)) {
        return;
      }
      var partitions = new HashSet<TopicPartition>();
      for (TopicDescription topic : found.values()) {
        topic
            .partitions()
            .forEach(it -> partitions.add(new TopicPartition(topic.name(), it.partition())));
      }
      Map<TopicPartition, Long> begins = asking.beginningOffsets(partitions);
      Map<TopicPartition, Long> ends = asking.endOffsets(partitions);
      projection.commit(() -> {
        var _ = projection.belongTo(ids, ends);
        consumer.assign(partitions);
        for (TopicPartition partition : partitions) {
          consumer.seek(partition, begin(partition, begins.getOrDefault(partition, 0L)));
        }
      });
      missing.removeAll(found.keySet());
    }

    /** Where these partitions end now. */
    Map<TopicPartition, Long> ends(Set<TopicPartition> partitions) {
      return asking.endOffsets(partitions);
    }

    @Override
    public void close() {
      asking.close();
    }

    /**
     * Where to continue; records that the topic no longer keeps are skipped, which the log says.
     */
    private long begin(TopicPartition partition, long first) throws SQLException {
      OptionalLong next = projection.positions.next(partition);
      if (next.isPresent() && next.getAsLong() < first) {
        LOG.warn(
            "records were deleted before the console read them; going on with the oldest that"
                + " exists: topic={} partition={} offset={} from={}",
            partition.topic(),
            partition.partition(),
            next.getAsLong(),
            first);
      }
      return Math.max(first, next.orElse(0));
    }

    private void describe(Map<String, TopicDescription> found, Map<String, String> ids) {
      Set<String> wanted = new HashSet<>(names);
      try (Admin admin = clients.admin("console")) {
        var cluster = new DescribeClusterOptions().timeoutMs(ANSWER_MILLIS);
        var list = new ListTopicsOptions().timeoutMs(ANSWER_MILLIS);
        var describe = new DescribeTopicsOptions().timeoutMs(ANSWER_MILLIS);
        ids.put("cluster", admin.describeCluster(cluster).clusterId().get());
        wanted.retainAll(admin.listTopics(list).names().get());
        found.putAll(admin.describeTopics(wanted, describe).allTopicNames().get());
        found.forEach((name, topic) -> ids.put(name, topic.topicId().toString()));
      } catch (ExecutionException | InterruptedException e) {
        throw ProjectionInput.failed(e);
      }
    }
  }
}
