package dev.flyball.triage.classify;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.topic.Position;
import dev.flyball.contract.triage.ShadowVerdict.Decided;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.TopicTail;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.triage.shadow.PastDecisions;
import dev.flyball.triage.shadow.ShadowComparison;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.TopicPartition;

/**
 * Has past snapshots judged by another classifier, and compares its verdicts with what was decided.
 * It reads without a group, so nothing that runs notices it. It writes the shadow topic, and to the
 * ledger what its calls cost. One thread.
 */
public final class ShadowRun {
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration REACH = Duration.ofSeconds(5);

  /** How long a write may wait for a broker that does not answer. */
  private static final Map<String, Object> WRITES =
      Map.of("request.timeout.ms", 5_000, "delivery.timeout.ms", 15_000, "max.block.ms", 15_000);

  private final KafkaClients clients;
  private final Classifier classifier;
  private final Settings settings;
  private final InstantSource clock;
  private final BooleanSupplier goesOn;

  /**
   * What is judged.
   *
   * @param run unique id of this run, which its records carry
   * @param config names the other configuration in records
   * @param since snapshots and decisions from this time on, as their topics' records are stamped;
   *     not before 1970
   * @param items most items of a batch
   * @param bytes most bytes of a batch's snapshots; a larger snapshot is judged alone
   */
  public record Settings(String run, String config, Instant since, int items, long bytes) {}

  /**
   * Nothing is opened yet.
   *
   * @param goesOn read before every step; false ends the run
   */
  public ShadowRun(
      KafkaClients clients,
      Classifier classifier,
      Settings settings,
      InstantSource clock,
      BooleanSupplier goesOn) {
    this.clients = clients;
    this.classifier = classifier;
    this.settings = settings;
    this.clock = clock;
    this.goesOn = goesOn;
  }

  /**
   * Reads, judges, writes and compares.
   *
   * @throws dev.flyball.kafka.BrokerUnreachable if no broker answers
   * @throws StartFailure with one line if there is too much to compare, the classifier does not
   *     answer, a budget is spent, or the run was ended; what was judged before is in the shadow
   *     topic
   */
  public ShadowComparison run() {
    clients.reach(REACH);
    var past = new PastDecisions();
    read(
        clients.topics().sessionEvents(),
        record -> {
          event(past, record);
          requireRoom(past);
        });
    read(
        clients.topics().workItems(),
        record -> {
          snapshot(record)
              .ifPresent(snapshot ->
                  past.snapshot(
                      record.key(),
                      snapshot.revision(),
                      place(record),
                      Instant.ofEpochMilli(record.timestamp())));
          requireRoom(past);
        });
    Map<Position, Decided> decided = past.bySnapshot();
    try (Producer<String, byte[]> producer = clients.producer("shadow", WRITES)) {
      var judge = new ShadowJudge(producer, clients.topics(), classifier, settings, clock);
      var waiting = new QuestionQueue(settings.items(), settings.bytes());
      read(
          clients.topics().workItems(),
          record -> {
            if (decided.containsKey(place(record))) {
              waiting.add(record);
              while (waiting.full()) {
                requireGoingOn();
                judge.judge(waiting.take(), decided);
              }
            }
          });
      while (!waiting.isEmpty()) {
        requireGoingOn();
        judge.judge(waiting.take(), decided);
      }
      return new ShadowComparison(
          judge.compared(), past.undecided(), past.withoutSnapshot(), past.sessionMicros());
    }
  }

  /** Ends the run before any call is paid, where memory would end the process. */
  private void requireRoom(PastDecisions past) {
    past.tooMuch()
        .ifPresent(much -> {
          throw new StartFailure(
              "since "
                  + settings.since()
                  + " there are "
                  + much
                  + ", which is more than a shadow run compares; use a shorter --since");
        });
  }

  private static void event(PastDecisions past, ConsumerRecord<String, byte[]> record) {
    if (EventHeaders.typeOf(record.headers()).filter(PastDecisions.READ::contains).isEmpty()) {
      return;
    }
    try {
      past.read(EventHeaders.read(record.headers(), record.value()));
    } catch (UnreadableRecord e) {
      // Its readers have reported it. A decision that it may have held is not compared.
    }
  }

  /** The snapshot of a record that triage takes: the newest of its poll; empty for any other. */
  private static Optional<Snapshot> snapshot(ConsumerRecord<String, byte[]> record) {
    try {
      return record.key() == null || record.value() == null
          ? Optional.empty()
          : Optional.of(RecordJson.read(record.value(), Snapshot.class)).filter(Snapshot::newest);
    } catch (UnreadableRecord e) {
      return Optional.empty(); // It is a dead letter already, and was never judged.
    }
  }

  private static Position place(ConsumerRecord<String, byte[]> record) {
    return new Position(record.partition(), record.offset());
  }

  /** Reads a topic from the time on to the end that it has now. */
  private void read(
      String topic, java.util.function.Consumer<ConsumerRecord<String, byte[]>> reader) {
    try (Consumer<String, byte[]> consumer = clients.consumer("shadow")) {
      TopicTail tail = TopicTail.of(consumer, topic);
      Map<TopicPartition, Long> times =
          tail.partitions().stream()
              .collect(Collectors.toMap(each -> each, _ -> settings.since().toEpochMilli()));
      Map<TopicPartition, Long> ends = tail.ends();
      consumer
          .offsetsForTimes(times)
          .forEach((partition, found) ->
              consumer.seek(
                  partition, found == null ? ends.getOrDefault(partition, 0L) : found.offset()));
      long heard = System.nanoTime();
      while (!tail.reached(ends)) {
        requireGoingOn();
        var records = consumer.poll(POLL);
        records.forEach(reader);
        if (!records.isEmpty()) {
          heard = System.nanoTime();
        } else if (System.nanoTime() - heard > REACH.toNanos()) {
          clients.reach(REACH);
          heard = System.nanoTime();
        }
      }
    }
  }

  private void requireGoingOn() {
    if (!goesOn.getAsBoolean()) {
      throw new StartFailure("the shadow run " + settings.run() + " was stopped");
    }
  }
}
