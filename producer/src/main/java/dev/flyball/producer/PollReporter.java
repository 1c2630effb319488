package dev.flyball.producer;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.poll.Trouble;
import dev.flyball.kafka.DeadLetterPublisher;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.telemetry.Metric;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.producer.publish.NotPolled;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports the results of polls: events, counters, health. Every poll is reported here exactly once.
 * Its events are not part of the poll's transaction: an open transaction would hold back every
 * reader of session-events, so a frozen producer would delay unrelated sessions' terminal events.
 * Any thread.
 */
final class PollReporter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PollReporter.class);

  static final String BROKER = "broker";

  /** Category of failures that this program causes. */
  static final String INTERNAL = "internal";

  /**
   * The category of an attempt that was left to another poll or to the producer that holds the
   * lease. It is not the source's last poll.
   */
  static final String LEASE = "lease";

  private final InstantSource clock;
  private final KafkaProducer<String, byte[]> producer;
  private final String topic;
  private final String origin;
  private final DeadLetterPublisher deadLetters;
  private final Telemetry telemetry;

  /** Why a source's last poll failed, or what was unreadable; its thread writes, health reads. */
  private final Map<String, String> failing = new ConcurrentHashMap<>();

  /** The fields of a source's items that were last reported as unknown. */
  private final Map<String, Set<String>> unknown = new ConcurrentHashMap<>();

  /** When each source was last polled with success, by any producer as far as is known. */
  private final Map<String, Instant> succeeded = new ConcurrentHashMap<>();

  /** Since when this process waits for a success of a source. */
  private final Map<String, Instant> waiting = new ConcurrentHashMap<>();

  /**
   * Opens a producer; does not wait for the broker.
   *
   * @param owner this producer's id
   */
  PollReporter(KafkaClients clients, String owner, InstantSource clock, Telemetry telemetry) {
    this.clock = clock;
    this.producer =
        clients.producer("poll-events", Map.of("buffer.memory", 4L << 20, "max.block.ms", 5_000));
    this.topic = clients.topics().sessionEvents();
    this.origin = "/producer/" + owner;
    this.deadLetters = new DeadLetterPublisher(producer, clients.topics(), "producer", clock);
    this.telemetry = telemetry;
  }

  Instant now() {
    return clock.instant();
  }

  /** Sources that fail, or of which some records cannot be read, with the reason. */
  Map<String, String> failing() {
    return Map.copyOf(failing);
  }

  /** A due poll of the source waits for this reason. */
  void waiting(String source, String reason) {
    failing.put(source, reason);
  }

  /** The source is no longer configured: its results are forgotten. */
  void forget(String source) {
    failing.remove(source);
    succeeded.remove(source);
    waiting.remove(source);
  }

  /** A poll by any producer succeeded; an older time than the known one has no effect. */
  void succeeded(String source, Instant at) {
    succeeded.merge(source, at, (a, b) -> a.isAfter(b) ? a : b);
  }

  /** How long ago a source was last polled with success; else the time since the first call. */
  Duration sinceSuccess(String source) {
    Instant first = waiting.computeIfAbsent(source, _ -> now());
    Instant last = succeeded.getOrDefault(source, first);
    Duration age = Duration.between(last, now());
    return age.isNegative() ? Duration.ZERO : age;
  }

  /** A source's lease was taken from a producer that had been silent for a whole lease. */
  void tookOver(String source, String from) {
    telemetry.count(Metric.POLL_TAKEOVERS, source);
    LOG.warn("source {}: took its poll lease over from {}, which was silent", source, from);
  }

  /**
   * A poll begins.
   *
   * @param interval how long after its start the source is due again
   */
  void started(String source, String poll, Instant start, Duration interval) {
    publish(
        EventType.POLL_STARTED,
        source,
        start,
        EventData.EMPTY
            .with(Field.POLL, poll)
            .with(Field.NEXT, start.plus(interval).truncatedTo(ChronoUnit.MILLIS).toString()));
  }

  /**
   * A poll is committed.
   *
   * @param newLetters how many of its unreadable lines became dead letters; the others were known
   * @param notRead what else it could not read, one line; null if nothing
   */
  PollReport finished(PollReport.Finished report, int newLetters, @Nullable String notRead) {
    if (notRead != null) {
      failing.put(report.source(), notRead);
      LOG.warn("source {}: {}", report.source(), failing.get(report.source()));
    } else if (report.invalid().isEmpty()) {
      failing.remove(report.source());
    } else {
      failing.put(report.source(), unread(report));
    }
    if (newLetters > 0) {
      LOG.warn("source {}: {}; see dead-letters", report.source(), unread(report));
    }
    // Once for each set of names: a file is read again with every edit.
    if (!report
        .unknown()
        .keySet()
        .equals(unknown.put(report.source(), report.unknown().keySet()))) {
      PollReport.ignored(report.source(), report.unknown()).ifPresent(LOG::warn);
    }
    succeeded(report.source(), now());
    telemetry.count(Metric.POLLS, "finished");
    telemetry.count(Metric.DEAD_LETTERS, newLetters);
    publish(
        EventType.POLL_FINISHED,
        report.source(),
        now(),
        EventData.EMPTY
            .with(Field.POLL, report.poll())
            .with(Field.LINES, report.lines())
            .with(Field.POLLED, report.items())
            .with(Field.CHANGED, report.changed())
            .with(Field.DUPLICATES, report.duplicates())
            .with(Field.INVALID, report.invalid().size()));
    return report;
  }

  private static String unread(PollReport.Finished report) {
    int count = report.invalid().size();
    return count
        + " of "
        + report.lines()
        + " lines cannot be read, the first "
        + report.invalid().getFirst().text();
  }

  PollReport skipped(String source, String poll, NotPolled whyNot) {
    String reason = whyNot.reason();
    telemetry.count(Metric.POLLS, "skipped");
    publish(
        EventType.POLL_SKIPPED,
        source,
        now(),
        reason(poll, reason).with(Field.CATEGORY, whyNot.elsewhere() ? LEASE : null));
    return new PollReport.Skipped(source, whyNot);
  }

  /**
   * A poll failed.
   *
   * @param category a label of {@link dev.flyball.tracker.TrackerFailure.Category}, {@link #BROKER}
   *     or {@link #INTERNAL}
   */
  PollReport failed(String source, String poll, String category, String reason) {
    telemetry.count(Metric.POLLS, "failed");
    telemetry.count(Metric.POLL_FAILURES, source, category);
    failing.put(source, reason);
    LOG.warn("poll failed source={}: {}", source, reason);
    publish(
        EventType.POLL_FAILED, source, now(), reason(poll, reason).with(Field.CATEGORY, category));
    return new PollReport.Failed(source, reason);
  }

  void answer(String source, PollAnswer answer) {
    publish(answer.type(), source, now(), answer.data());
  }

  void breaker(EventType type, String source, @Nullable Trouble trouble) {
    publish(type, source, now(), of(trouble));
  }

  static EventData of(@Nullable Trouble trouble) {
    if (trouble == null) {
      return EventData.EMPTY;
    }
    Instant until = trouble.notBefore();
    return EventData.EMPTY
        .with(Field.REASON, trouble.reason())
        .with(Field.CATEGORY, trouble.category())
        .with(Field.UNTIL, until == null ? null : until.toString());
  }

  private static EventData reason(String poll, String reason) {
    return EventData.EMPTY.with(Field.POLL, poll).with(Field.REASON, reason);
  }

  /** Sends one event and does not wait; a failure is logged, and does not fail the poll. */
  private void publish(EventType type, String source, Instant time, EventData data) {
    String id =
        data.text(Field.POLL).orElseGet(() -> UUID.randomUUID().toString()) + "-" + type.type();
    var event = new LifecycleEvent(id, type, origin, source, time, data);
    LOG.info("{} source={} {}", type.type(), source, data);
    try {
      // Only its callback is used.
      var _ =
          producer.send(
              new ProducerRecord<>(
                  topic, null, source, RecordJson.bytes(data), EventHeaders.of(event)),
              (metadata, failure) -> {
                if (failure != null) {
                  notWritten(event, failure);
                }
              });
    } catch (KafkaException e) {
      notWritten(event, e);
    }
  }

  private static void notWritten(LifecycleEvent event, Exception why) {
    LOG.warn(
        "event not written type={} source={}: {}",
        event.type().type(),
        event.subject(),
        why.getMessage());
  }

  /** Sends a record that could not be read to dead-letters, and does not wait. */
  void unreadable(ConsumerRecord<String, byte[]> record, String reason) {
    telemetry.count(Metric.DEAD_LETTERS);
    LOG.warn(
        "unreadable record {}-{}@{}: {}",
        record.topic(),
        record.partition(),
        record.offset(),
        reason);
    try {
      // A failure is logged by the send, and every start reads the record again.
      var _ = deadLetters.publish(record, reason);
    } catch (KafkaException e) {
      LOG.warn("dead letter not written: {}", e.getMessage());
    }
  }

  @Override
  public void close() {
    producer.close(Duration.ofSeconds(5));
  }
}
