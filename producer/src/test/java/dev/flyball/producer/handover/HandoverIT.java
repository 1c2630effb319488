package dev.flyball.producer.handover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.io.CleanupMode.ON_SUCCESS;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.kafka.TopicProvisioner;
import dev.flyball.producer.ProducerProcess;
import dev.flyball.testkit.BrokerProcess;
import dev.flyball.testkit.KafkaFixture;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three producers in separate JVMs, one tracker that keeps a log, and every way to end a producer.
 * {@code -Dhandover.rounds=3} for more.
 */
@Tag("long")
class HandoverIT {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int ISSUES = 35;
  private static final int ROUNDS = Integer.getInteger("handover.rounds", 1);
  private static final int POLLS = 67 * ROUNDS;

  @TempDir(cleanup = ON_SUCCESS)
  Path folder;

  private final ScriptedTracker tracker = new ScriptedTracker();
  private final ScheduledExecutorService people = Executors.newSingleThreadScheduledExecutor();
  private final AtomicInteger edits = new AtomicInteger();
  private BrokerProcess broker;
  private KafkaClients clients;
  private List<ProducerProcess> producers;

  @BeforeEach
  void start() {
    broker = BrokerProcess.start(folder.resolve("broker"));
    var topics = new Topics("handover.");
    clients =
        new KafkaClients(
            new KafkaSettings(topics, Map.of("bootstrap.servers", broker.bootstrapServers())),
            "test");
    new TopicProvisioner(clients).provision();
    IntStream.range(0, ISSUES).forEach(i -> tracker.put("" + i, "made"));
    producers =
        IntStream.range(0, 3)
            .mapToObj(n ->
                new ProducerProcess(
                    ScriptedProducerMain.class,
                    folder.resolve("p" + n),
                    clients,
                    List.of(tracker.url(), "p" + n)))
            .toList();
  }

  @AfterEach
  void stop() {
    people.shutdownNow();
    producers.forEach(ProducerProcess::close);
    broker.close();
    tracker.close();
  }

  @Test
  @DisplayName(
      "S0-26, S0-44, S2-1, S2-3, S2-4: over many polls and every kind of restart no two polls"
          + " overlap, and each change is published once")
  void everyChangeOnceAndNeverTwoAtOnce() {
    await("a first poll").until(() -> tracker.begun() > 3);
    var _ = people.scheduleWithFixedDelay(this::edit, 0, 60, TimeUnit.MILLISECONDS);
    for (int round = 0; round < ROUNDS; round++) {
      killWhileItAsks();
      stopUntilReplaced();
      freezeUntilReplaced();
      broker.kill();
      broker.restart();
      awaitPolls(tracker.begun() + 3);
    }
    while (tracker.begun() < POLLS) {
      // The limit holds on any machine, however slow, as long as the test makes progress.
      awaitPolls(tracker.begun() + 5);
    }
    people.shutdownNow();
    await("the newest state of everything")
        .untilAsserted(() -> assertThat(newest(records())).isEqualTo(tracker.titles()));
    awaitPolls(tracker.begun() + 5);

    List<ScriptedTracker.Poll> polls = tracker.polls();
    List<Written> records = records();
    System.out.printf(
        "handover: %d polls by %d producers, %d changes of poller, %d edits, %d records%n",
        polls.size(),
        polls.stream().map(ScriptedTracker.Poll::who).distinct().count(),
        IntStream.range(1, polls.size())
            .filter(i -> !polls.get(i).who().equals(polls.get(i - 1).who()))
            .count(),
        edits.get(),
        records.size());
    for (int i = 1; i < polls.size(); i++) {
      assertThat(polls.get(i).begin())
          .as("%s%n%s", polls.get(i - 1), polls.get(i))
          .isGreaterThan(polls.get(i - 1).end());
    }
    assertThat(records.stream().map(record -> record.key() + " " + record.digest()))
        .doesNotHaveDuplicates();
    assertThat(newest(records)).isEqualTo(tracker.titles());
  }

  private void edit() {
    int edit = edits.incrementAndGet();
    tracker.put("" + edit % ISSUES, "edit " + edit);
  }

  /** Ends the polling producer while its tracker has not answered yet. */
  private void killWhileItAsks() {
    ProducerProcess holder = holderThatAsks(producer -> {});
    holder.kill();
    holder.restart();
    awaitPolls(tracker.begun() + 3);
  }

  /** A stopped producer gives its lease back only when the answer has come. */
  private void stopUntilReplaced() {
    ProducerProcess stopped = holderThatAsks(producer -> {});
    stopped.terminate();
    await("another polls instead of " + stopped.who())
        .until(() -> !tracker.polls().getLast().who().equals(stopped.who()));
    stopped.restart();
  }

  /**
   * Freezes a producer in the middle of a poll: it wakes up with pages that it has not requested
   * yet.
   */
  private void freezeUntilReplaced() {
    ProducerProcess frozen = holderThatAsks(ProducerProcess::freeze);
    await("another polls instead of " + frozen.who())
        .until(() -> !tracker.polls().getLast().who().equals(frozen.who()));
    frozen.thaw();
    awaitPolls(tracker.begun() + 10);
  }

  /** The producer that asks next, after this action on it and before it is answered. */
  private ProducerProcess holderThatAsks(java.util.function.Consumer<ProducerProcess> action) {
    var asked = new CountDownLatch(1);
    var holder = new ArrayList<ProducerProcess>();
    tracker.arrived =
        who -> {
          synchronized (holder) {
            if (holder.isEmpty()) {
              producers.stream()
                  .filter(producer -> producer.who().equals(who))
                  .forEach(holder::add);
              action.accept(holder.getFirst());
              asked.countDown();
            }
          }
        };
    await("somebody asks").until(() -> asked.getCount() == 0);
    tracker.arrived = who -> {};
    return holder.getFirst();
  }

  private void awaitPolls(int count) {
    await(count + " polls").until(() -> tracker.begun() >= count);
  }

  private static org.awaitility.core.ConditionFactory await(String what) {
    return Awaitility.await(what).atMost(PATIENCE).pollInterval(Duration.ofMillis(50));
  }

  private record Written(String key, String digest, String title) {}

  private static Map<String, String> newest(List<Written> records) {
    var newest = new TreeMap<String, String>();
    records.forEach(record -> newest.put(ItemKey.parse(record.key()).id(), record.title()));
    return newest;
  }

  private List<Written> records() {
    return KafkaFixture.records(clients, clients.topics().workItems()).stream()
        .map(record ->
            new Written(
                record.key(),
                String.valueOf(EventHeaders.text(record.headers(), EventHeaders.DIGEST)),
                RecordJson.read(record.value(), Snapshot.class).title()))
        .toList();
  }
}
