package dev.flyball.ops.console.projection;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.Effect;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.LedgerState.Folded;
import dev.flyball.contract.ledger.Token;
import dev.flyball.contract.metric.MetricWindow;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.DeadLetterPublisher;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.LedgerReader;
import dev.flyball.kafka.LedgerReader.LedgerRecord;
import dev.flyball.ops.console.projection.MetricTable.Window;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.StartFailure;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The topics of the projection, read from the position stored with its rows, and the ledger, folded
 * and compared with the sessions that started. One thread.
 */
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
  private final KafkaConsumer<String, byte[]> consumer;
  private final ProjectionTopics assigned;
  private final LedgerReader reader;
  private final Permits permits;
  private final Producer<String, byte[]> producer;
  private final DeadLetterPublisher deadLetters;
  private final Runnable buried;

  private final MetricsWriter metrics;

  /** What is done with the records of each topic. */
  private final Map<String, Consumer<ConsumerRecord<String, byte[]>>> folds;

  private LedgerState ledger;

  /** Whether the ledger's rows are older than what was read. */
  private boolean ledgerMoved = true;

  /** How far the ledger's stored state goes, and when it was stored. */
  private long keptTo = -1;

  private Instant kept = Instant.MIN;
  private Instant asOf = Instant.MIN;

  /** When the newest event that is stored was appended. */
  private Instant newest = Instant.EPOCH;

  /** The ends that {@link #caughtUp} compares with; null while it is not asked. */
  private @Nullable Map<TopicPartition, Long> goal;

  /** Polled and not committed yet. */
  private List<ConsumerRecord<String, byte[]>> polled = List.of();

  /**
   * How far the projection is behind the end of session-events, by what the consumer knows without
   * asking a broker. What was polled counts until it is stored: where the disk accepts no commit,
   * the lag grows.
   *
   * @param records not stored yet
   * @param since append time of the oldest polled event that is not stored, otherwise of the newest
   *     one that is
   */
  record EventLag(long records, Instant since) {
    static final EventLag NONE = new EventLag(0, Instant.EPOCH);

    /** The age of what it is behind, in seconds; 0 if it is not. */
    double seconds(Instant now) {
      return records == 0 || since.equals(Instant.EPOCH)
          ? 0
          : Math.max(0, Duration.between(since, now).toMillis() / 1000.0);
    }
  }

  /** Assigns nothing before the first poll; {@code buried} counts dead letters. */
  ProjectionInput(KafkaClients clients, Projection projection, Runnable buried) {
    this.topics = clients.topics();
    this.projection = projection;
    this.folds =
        Map.of(
            topics.sessionEvents(),
            this::event,
            topics.itemState(),
            record -> projection.items.put(record.key(), value(record, ItemState.class)),
            topics.analyses(),
            record -> projection.items.analysis(record.key(), value(record, Analysis.class)),
            topics.sessionRequests(),
            record -> projection.items.request(record.key(), value(record, SessionRequest.class)),
            topics.deadLetters(),
            projection::deadLetter,
            topics.sessionLedger(),
            projection.ledger::entry);
    this.reader = LedgerReader.open(clients, CONTACT);
    this.ledger = reader.start();
    this.permits = new Permits(ledger.offset());
    this.consumer = clients.follower("projection", Map.of("auto.offset.reset", "none"));
    this.producer = clients.producer("dead-letters");
    this.deadLetters = new DeadLetterPublisher(producer, topics, "console", InstantSource.system());
    this.buried = buried;
    this.metrics = new MetricsWriter(clients, projection);
    this.assigned = new ProjectionTopics(clients, projection, consumer, folds.keySet());
  }

  /** The ledger as far as it was read. */
  LedgerState ledger() {
    return ledger;
  }

  EventLag lag() {
    long left =
        consumer.assignment().stream()
            .filter(it -> it.topic().equals(topics.sessionEvents()))
            .mapToLong(it -> consumer.currentLag(it).orElse(0))
            .sum();
    LongSummaryStatistics times = eventTimes();
    return times.getCount() == 0
        ? new EventLag(left, newest)
        : new EventLag(left + times.getCount(), Instant.ofEpochMilli(times.getMin()));
  }

  /**
   * Whether Kafka answers and the ledger is read up to the end that it had when this was opened.
   *
   * @param now the wall clock
   */
  Health health(Instant now) {
    Instant contact = reader.answered();
    if (contact.plus(SILENCE).isBefore(now)) {
      return Projector.silent(
          "Kafka has not answered since " + contact.truncatedTo(ChronoUnit.SECONDS));
    }
    return reader.caughtUp() ? metrics.health() : Health.starting("reading the ledger");
  }

  /** Reads the next records, within this time; until {@link #commit} the lag contains them. */
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
    foldLedger(atMost);
  }

  /** The append times of the polled events, in milliseconds. */
  private LongSummaryStatistics eventTimes() {
    return polled.stream()
        .filter(record -> record.topic().equals(topics.sessionEvents()))
        .mapToLong(ConsumerRecord::timestamp)
        .summaryStatistics();
  }

  /** Folds the next entries of the ledger, waiting at most this long for some. */
  private void foldLedger(Duration atMost) {
    // A new consumer that is polled without waiting takes many polls to fetch its first record.
    for (LedgerRecord record : reader.poll(reader.caughtUp() ? Duration.ZERO : atMost)) {
      LedgerEntry entry = record.entry();
      if (entry == null) {
        ledger = ledger.skip(record.offset());
      } else {
        Folded folded = ledger.fold(entry, record.offset(), record.appendTime());
        ledger = folded.state();
        if (folded.effect() instanceof Effect.Claimed claimed) {
          permits.claimed(record.offset(), claimed.lease().session());
        }
      }
      ledgerMoved = true;
    }
  }

  /**
   * Stores what was polled; the ledger, while it moves, only once a second or if {@code keepNow}.
   *
   * @return whether there was anything to store
   */
  boolean commit(boolean keepNow) {
    Instant now = Instant.now();
    Instant contact = reader.answered();
    boolean keep =
        keptTo != reader.position() && (keepNow || !ledgerMoved || kept.plus(KEEP).isBefore(now));
    if (polled.isEmpty() && !ledgerMoved && !keep && !contact.isAfter(asOf)) {
      return false;
    }
    projection.commit(() -> {
      for (ConsumerRecord<String, byte[]> record : polled) {
        fold(record);
      }
      for (TopicPartition partition : consumer.assignment()) {
        projection.readTo(partition, consumer.position(partition));
      }
      projection.ledger.put(ledger, now);
      for (Permits.Started start : permits.without(ledger.offset())) {
        projection.ledger.withoutPermit(start.session(), start.at());
      }
      if (keep) {
        projection.ledger.keep(ledger);
      }
      if (contact.isAfter(asOf)) {
        projection.asOf(contact);
      }
    });
    if (keep) {
      keptTo = reader.position();
      kept = now;
    }
    ledgerMoved = false;
    asOf = contact;
    LongSummaryStatistics times = eventTimes();
    if (times.getCount() > 0) {
      newest = Instant.ofEpochMilli(times.getMax());
    }
    polled = List.of();
    return true;
  }

  /** Writes the windows that have changed, if it is time; as the {@code last} thing all of them. */
  void writeMetrics(Instant now, boolean last) {
    if (last) {
      metrics.finish(now);
    } else {
      metrics.write(lag().seconds(now), now);
    }
  }

  /** Whether everything is stored, with the ledger's state, that Kafka held at the first call. */
  boolean caughtUp() {
    Map<TopicPartition, Long> ends = goal == null ? assigned.ends() : goal;
    boolean reached = ends.entrySet().stream().allMatch(it -> shown(it.getKey()) >= it.getValue());
    // The ends of now would never be reached while sessions write.
    goal = reached ? null : ends;
    return reached;
  }

  private long shown(TopicPartition partition) {
    long read = consumer.position(partition);
    return partition.topic().equals(topics.sessionLedger()) ? Math.min(keptTo, read) : read;
  }

  @Override
  public void close() {
    KafkaClients.closeFollower(consumer);
    assigned.close();
    reader.close();
    producer.close(CLOSE_LIMIT);
    metrics.close();
  }

  /** Folds a record. Unreadable states and analyses are dead letters; others read the rest too. */
  private void fold(ConsumerRecord<String, byte[]> record) {
    try {
      Objects.requireNonNull(folds.get(record.topic())).accept(record);
    } catch (StartFailure e) {
      throw e;
    } catch (RuntimeException e) {
      // Whatever the cause, for example a time out of range: it would occur again at every start.
      LOG.warn(
          "unreadable record topic={} partition={} offset={}: {}",
          record.topic(),
          record.partition(),
          record.offset(),
          e.getMessage());
      if (record.topic().equals(topics.sessionEvents())) {
        projection.unreadable(record.key(), Instant.ofEpochMilli(record.timestamp()));
      } else if (Set.of(topics.itemState(), topics.analyses()).contains(record.topic())) {
        deadLetters.giveUp(record, String.valueOf(e.getMessage()));
        buried.run();
      }
    }
  }

  /** Folds an event, and takes a start up that names this ledger. */
  private void event(ConsumerRecord<String, byte[]> record) {
    if (record.value() == null) {
      return;
    }
    LifecycleEvent event = EventHeaders.read(record.headers(), record.value());
    projection.event(event, Instant.ofEpochMilli(record.timestamp()));
    if (event.type() == EventType.SESSION_SPAWNED && event.data().has(Field.TOKEN)) {
      Token token = Token.parse(event.data().text(Field.TOKEN).orElseThrow());
      if (token.topicId().equals(reader.topicId())) {
        String session = event.data().text(Field.SESSION).orElse("");
        permits.started(new Permits.Started(session, token.offset(), event.time()));
      }
    }
  }

  private static <T> @Nullable T value(ConsumerRecord<String, byte[]> record, Class<T> type) {
    return record.value() == null ? null : RecordJson.read(record.value(), type);
  }

  /**
   * Writes changed windows to the metrics topic. Nothing depends on it: while it cannot, health is
   * degraded, and it writes what it missed afterwards. Used by the projection's thread.
   */
  static final class MetricsWriter implements AutoCloseable {
    /** A window is written at most once in this time. */
    private static final Duration TICK = Duration.ofSeconds(5);

    /** While the projection is further behind, windows of the past are still growing. */
    private static final double BEHIND_SECONDS = 60;

    /** How long one write may keep the projection waiting, and the wait after one that failed. */
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private static final Duration RETRY = Duration.ofSeconds(30);

    private static final int MOST = 1_000;

    private final Projection projection;
    private final String topic;
    private final String schema;
    private final Producer<String, byte[]> producer;
    private Instant next = Instant.EPOCH;
    private Health health = Health.healthy();

    MetricsWriter(KafkaClients clients, Projection projection) {
      this.projection = projection;
      this.topic = clients.topics().metrics();
      this.schema = clients.topics().spec(topic).schema();
      this.producer = clients.producer("metrics", LIMIT);
    }

    /** At worst degraded: a console without new windows shows everything else. */
    Health health() {
      return health;
    }

    /**
     * Writes what is due if it is time, and deletes what is no longer needed.
     *
     * @param behindSeconds how far the projection is behind the events
     */
    void write(double behindSeconds, Instant now) {
      if (!now.isBefore(next) && behindSeconds <= BEHIND_SECONDS) {
        next = now.plus(TICK);
        attempt(now);
      }
    }

    /** Writes everything that is due, as the last thing that it does. */
    void finish(Instant now) {
      while (health.equals(Health.healthy()) && attempt(now) == MOST) {}
    }

    /** Writes what is due; returns how many windows were. */
    private int attempt(Instant now) {
      var sent = new LinkedHashMap<MetricWindow, Future<RecordMetadata>>();
      try {
        projection.commit(() -> {
          for (Window window : projection.metrics.due(MOST)) {
            MetricWindow read = projection.metrics.read(window);
            byte[] value = RecordJson.bytes(read);
            var record =
                new ProducerRecord<>(topic, null, window.key(), value, EventHeaders.schema(schema));
            sent.put(read, producer.send(record));
          }
          for (var each : sent.entrySet()) {
            DeadLetterPublisher.await(each.getValue(), "window");
            projection.metrics.written(each.getKey());
          }
          projection.metrics.forget(now);
        });
        health = Health.healthy();
      } catch (KafkaException e) {
        LOG.warn("metrics topic cannot be written: {}; trying again", e.getMessage());
        health = Health.degraded("metrics", "metrics topic cannot be written: " + e.getMessage());
        next = now.plus(RETRY);
      }
      return sent.size();
    }

    @Override
    public void close() {
      producer.close(LIMIT);
    }
  }
}
