package dev.flyball.program.story;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.broker.BrokerSecret;
import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.topic.Topics;
import dev.flyball.program.launch.Program;
import dev.flyball.program.launch.Workplace;
import dev.flyball.testkit.FreePort;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * INV-1, INV-2, INV-3, INV-4, INV-5, INV-6, INV-7 through kill -9 of the whole program at steps of
 * the path that each run draws (S0-9, S0-46, S0-50, S0-55, S0-59). {@code -Dkills.phases=12} for
 * every step, {@code -Dkills.per.phase=2} for more kills at each, {@code -Dkills.seed=N} to draw
 * the same again.
 */
@Tag("long")
final class KillAnywhereIT {
  private static final int KILLS_PER_PHASE = Integer.getInteger("kills.per.phase", 1);
  private static final int PHASES = Integer.getInteger("kills.phases", 3);
  private static final long SEED = Long.getLong("kills.seed", System.nanoTime());

  private static final int CAP = 3;

  private static final String AGENT =
      """
      cat > /dev/null
      sleep 300 &
      sleep 0.4
      echo "Main.java line 1 is the cause"
      """;

  /** Where on an item's path the program is killed: right after this record was seen in the log. */
  enum Phase {
    SEEN(record -> record.topic().equals(Topics.DEFAULT.workItems())),
    CHANGED(event(EventType.ITEM_CHANGED)),
    ASKED(record -> record.topic().equals(Topics.DEFAULT.triageRequests())),
    ANSWERED(record -> record.topic().equals(Topics.DEFAULT.triageVerdicts())),
    QUEUED(record ->
        record.topic().equals(Topics.DEFAULT.sessionRequests()) && record.value() != null),
    CLAIMING(entry(LedgerEntry.Claim.class)),
    CLAIMED(event(EventType.SESSION_CLAIMED)),
    SPAWNED(event(EventType.SESSION_SPAWNED)),
    ANSWERING(event(EventType.SESSION_RESULT)),
    RELEASING(entry(LedgerEntry.Release.class)),
    LEASE_ENDED(event(EventType.SESSION_LEASE_ENDED)),
    TERMINAL(event(EventType.SESSION_COMPLETED));

    private final Predicate<ConsumerRecord<byte[], byte[]>> reached;

    Phase(Predicate<ConsumerRecord<byte[], byte[]>> reached) {
      this.reached = reached;
    }

    private static Predicate<ConsumerRecord<byte[], byte[]>> event(EventType type) {
      return record ->
          record.topic().equals(Topics.DEFAULT.sessionEvents())
              && EventHeaders.typeOf(record.headers()).filter(type::equals).isPresent();
    }

    private static Predicate<ConsumerRecord<byte[], byte[]>> entry(
        Class<? extends LedgerEntry> kind) {
      return record ->
          record.topic().equals(Topics.DEFAULT.sessionLedger())
              && kind.isInstance(RecordJson.read(record.value(), LedgerEntry.class));
    }
  }

  @Test
  void everyItemSettlesOnceWhereverTheProgramIsKilled(@TempDir Path folder) {
    var place = Workplace.in(folder, AGENT);
    String kafka = "127.0.0.1:" + FreePort.take();
    place.configure("broker: {listen: \"" + kafka + "\"}", CAP, Workplace.SCALED);
    place.withoutSources();
    List<Phase> phases = drawn();
    Map<Phase, Integer> kills = new EnumMap<>(Phase.class);
    int items = 0;
    try (var sampler = SessionSampler.of(place)) {
      changing(place, 1);
      items++;
      assertThat(run(place).awaitExit(Duration.ofMinutes(3)))
          .as("a first run makes the topics")
          .isZero();
      for (int round = 0; round < KILLS_PER_PHASE; round++) {
        for (Phase phase : phases) {
          place.add(items++, 1);
          place.add(items++, 1);
          if (killAt(place, phase)) {
            kills.merge(phase, 1, Integer::sum);
          }
        }
      }
      changing(place, 2);
      Program last = run(place);
      assertThat(last.awaitExit(Duration.ofMinutes(5))).as(last.err()).isZero();
      System.out.println("kill -9 by phase: " + kills);

      try (var _ =
          Program.up(place.home, "--data", "data", "--set", "console.listen=127.0.0.1:0")) {
        LedgerAudit audit = LedgerAudit.of(kafka);
        assertThat(audit.settled(items)).as("all settled: " + audit.items).isTrue();
        audit.assertInvariants(sampler, CAP);
        LedgerAudit.assertNoPromiseIsBroken(place.home, kafka);
        assertThat(audit.count(EventType.ITEM_TRIAGED)).as("INV-4").isEqualTo(items + 1);
        assertThat(audit.count(EventType.SESSION_COMPLETED)).as("INV-4").isEqualTo(items + 1);
        int calls = LedgerAudit.readAll(kafka, Topics.DEFAULT.triageVerdicts()).size();
        assertThat(calls - items - 1)
            .as("INV-4: answers again, at most one a kill")
            .isBetween(0, 2 * phases.size() * KILLS_PER_PHASE);
        anotherProducerChangesNothing(place.home.resolve("data"), kafka, audit);
      }
    }
    assertThat(place.live()).as("INV-5: nothing survives").isEmpty();
    for (Phase phase : phases) {
      assertThat(kills.getOrDefault(phase, 0))
          .as(phase.name())
          .isGreaterThanOrEqualTo(KILLS_PER_PHASE);
    }
  }

  private static List<Phase> drawn() {
    System.out.println("kill anywhere: -Dkills.seed=" + SEED + " -Dkills.phases=" + PHASES);
    List<Phase> all = new ArrayList<>(List.of(Phase.values()));
    Collections.shuffle(all, new Random(SEED));
    return all.subList(0, PHASES);
  }

  /** The item 0, of which older snapshots can be told from newer ones. */
  private static void changing(Workplace place, int revision) {
    place.addLine(
        Workplace.item(0, revision)
            .replace("}\n", ",\"changedAt\":\"2026-01-0" + revision + "T00:00:00Z\"}\n"));
  }

  /** Publishes every snapshot again, the newest first. */
  private static void anotherProducerChangesNothing(Path data, String kafka, LedgerAudit before) {
    String topic = Topics.DEFAULT.workItems();
    var snapshots = LedgerAudit.readAll(kafka, topic).reversed();
    try (var producer =
        new KafkaProducer<>(
            new HashMap<String, Object>(
                BrokerSecret.clientProperties(data.resolve("kafka")).orElseThrow()),
            new StringSerializer(),
            new ByteArraySerializer())) {
      for (var it : snapshots) {
        var _ =
            producer.send(
                new ProducerRecord<>(
                    topic, it.partition(), null, it.key(), it.value(), it.headers()));
      }
    }
    long dropped = before.count(EventType.ITEM_DUPLICATE) + snapshots.size();
    LedgerAudit after =
        await("every copy is dropped")
            .atMost(Duration.ofMinutes(2))
            .pollInterval(Duration.ofSeconds(1))
            .until(
                () -> LedgerAudit.of(kafka), it -> it.count(EventType.ITEM_DUPLICATE) >= dropped);
    assertThat(after.count(EventType.ITEM_DUPLICATE)).isEqualTo(dropped);
    assertThat(after.count(EventType.ITEM_TRIAGED)).isEqualTo(before.count(EventType.ITEM_TRIAGED));
    assertThat(after.claims).hasSameSizeAs(before.claims);
    assertThat(after.items.values())
        .as("no state goes back to an older snapshot")
        .extracting(ItemState::snapshot)
        .containsExactlyElementsOf(
            before.items.values().stream().map(ItemState::snapshot).toList());
  }

  private static Program run(Workplace place) {
    // The same items come first after each start, so a hundred kills lose some of them often.
    return place.run(Map.of(), "sessions.lost=100");
  }

  /** Starts the program and kills it when the phase is reached; true if it was killed there. */
  private static boolean killAt(Workplace place, Phase phase) {
    Program program = run(place);
    try (var tail = Tail.atEnd(program.awaitEmbeddedKafka(), Tail.path())) {
      boolean reached = tail.await(phase.reached, Duration.ofSeconds(90), program::alive);
      program.kill9();
      return reached;
    }
  }

  /** Follows all topics from their ends, uncommitted records too: what a fault is timed by. */
  private record Tail(KafkaConsumer<byte[], byte[]> consumer) implements AutoCloseable {
    /** Starts at the end that every topic has now. */
    static Tail atEnd(String bootstrapServers, List<String> topics) {
      var properties = new Properties();
      properties.put("bootstrap.servers", bootstrapServers);
      properties.put("fetch.max.wait.ms", "20");
      properties.put("reconnect.backoff.max.ms", "100");
      var consumer =
          new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
      var partitions =
          topics.stream()
              .flatMap(topic ->
                  consumer.partitionsFor(topic).stream()
                      .map(info -> new TopicPartition(topic, info.partition())))
              .toList();
      consumer.assign(partitions);
      consumer.seekToEnd(partitions);
      partitions.forEach(consumer::position);
      return new Tail(consumer);
    }

    /** Waits for a record; false if none came in time or the condition to go on waiting ended. */
    boolean await(
        Predicate<ConsumerRecord<byte[], byte[]>> wanted, Duration limit, BooleanSupplier goOn) {
      long end = System.nanoTime() + limit.toNanos();
      while (System.nanoTime() < end && goOn.getAsBoolean()) {
        for (var record : consumer.poll(Duration.ofMillis(20))) {
          if (wanted.test(record)) {
            return true;
          }
        }
      }
      return false;
    }

    /** The topics that a session's path goes through. */
    static List<String> path() {
      Topics topics = Topics.DEFAULT;
      return List.of(
          topics.workItems(),
          topics.triageRequests(),
          topics.triageVerdicts(),
          topics.sessionRequests(),
          topics.sessionLedger(),
          topics.sessionEvents());
    }

    @Override
    public void close() {
      consumer.close(CloseOptions.timeout(Duration.ofMillis(200)));
    }
  }
}
