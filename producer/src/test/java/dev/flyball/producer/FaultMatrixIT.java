package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.poll.PollState;
import dev.flyball.contract.poll.Trouble;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultServer;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.tracker.Fault;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One fault of each category through a whole producer to Kafka. Items are edited while the tracker
 * fails. The test checks what can be seen from outside: the reports, the breaker and what is
 * published.
 */
@Tag("long")
@DisplayName("S0-32, S0-33: whatever a tracker does wrong, each change is published once")
class FaultMatrixIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();

  private static final Duration TICK = Duration.ofMillis(1);
  private static final List<EventType> POLLS =
      List.of(EventType.POLL_STARTED, EventType.POLL_FINISHED, EventType.POLL_SKIPPED);

  private static CommittedLog log;

  @TempDir Path data;
  private final FaultServer elsewhere = FaultServer.http();

  @BeforeAll
  static void prepare() {
    KAFKA.provision();
    log = new CommittedLog(KAFKA);
  }

  @AfterAll
  static void closeLog() {
    log.close();
  }

  @AfterEach
  void nothingWentElsewhere() {
    assertThat(elsewhere.requests()).as("the token stays with its tracker").isEmpty();
    elsewhere.close();
  }

  static List<Fault> faults() {
    return Fault.ofEachCategory();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("faults")
  void aBadAnswer(Fault fault) throws IOException {
    try (FaultServer tracker = FaultServer.http();
        var producer = new TroubledProducer(KAFKA, fault.name(), tracker, data)) {
      FaultReply reply = fault.reply(TroubledProducer.TOKEN, elsewhere.url());
      var trouble = new ExpectedTrouble(fault.category(), fault.retryAfter());

      assertEndured(producer, trouble, reply);
    }
  }

  /** Runs one fault from its beginning to its end; a failure of the test names the fault. */
  private static void assertEndured(
      TroubledProducer producer, ExpectedTrouble trouble, FaultReply reply) {
    try {
      tell(producer, trouble, reply);
    } catch (AssertionError e) {
      throw new AssertionError(producer.key() + ": " + e.getMessage(), e);
    }
  }

  private static void tell(TroubledProducer producer, ExpectedTrouble trouble, FaultReply reply) {
    assertThat(producer.finishes().changed()).isEqualTo(TroubledProducer.ITEMS);
    producer.edit();
    producer.breaks(reply);

    List<Duration> waits = trouble.waits();
    var reasons = new ArrayList<String>();
    for (int failures = 1; failures <= waits.size(); failures++) {
      // Where the last request fails, nothing that the first ones read may be published either.
      producer.breaksOnlyAtTheEnd(failures % 2 == 1);
      String reason = producer.fails();
      reasons.add(reason);
      assertThat(reason).matches("[ -~]{20,600}").doesNotContain(TroubledProducer.TOKEN);
      assertThat(producer.health().reasons()).anySatisfy(it -> assertThat(it).endsWith(reason));
      boolean open = trouble.counts() && failures >= 3;
      assertBreaker(producer, open ? 2 : 0);
      assertThat(producer.metrics())
          .contains(
              "category=\"%s\",source=\"%s\"} %s.0"
                  .formatted(trouble.category().label(), producer.key(), failures));
      if (failures == waits.size()) {
        assertThat(snapshots(producer)).as("published").hasSize(TroubledProducer.ITEMS);
        producer.mends();
      }
      assertLeftAlone(producer, waits.get(failures - 1), reason);
    }
    assertThat(producer.finishes().published())
        .extracting(published -> published.key().id())
        .containsExactlyInAnyOrder("1", "2", "3");
    assertThat(producer.finishes().published()).isEmpty();
    assertBreaker(producer, 0);
    KafkaFixture.await().untilAsserted(() -> assertThat(producer.health().reasons()).isEmpty());
    producer.close();

    assertEachChangeOnce(producer);
    assertThat(told(producer)).isEqualTo(trouble.events(reasons));
    assertThat(steps(producer)).isEqualTo(trouble.steps());
  }

  /** No request may be sent before the pause is over, whatever the tracker would answer now. */
  private static void assertLeftAlone(TroubledProducer producer, Duration wait, String reason) {
    if (wait.isZero()) {
      return;
    }
    for (Duration passes : List.of(wait.minus(TICK), TICK)) {
      assertThat(producer.isRefused()).contains(producer.key()).endsWith(": " + reason);
      producer.passes(passes);
    }
  }

  private static void assertBreaker(TroubledProducer producer, int state) {
    assertThat(producer.metrics())
        .contains("flyball_breaker_state{source=\"" + producer.key() + "\"} " + state + ".0");
  }

  private static void assertEachChangeOnce(TroubledProducer producer) {
    List<ConsumerRecord<String, byte[]>> all = snapshots(producer);
    assertThat(all)
        .extracting(
            record -> record.key() + " " + EventHeaders.text(record.headers(), EventHeaders.DIGEST))
        .doesNotHaveDuplicates();
    assertThat(all)
        .extracting(record ->
            ItemKey.parse(record.key()).id()
                + " "
                + RecordJson.read(record.value(), Snapshot.class).title())
        .containsExactlyInAnyOrder(
            "1 Item 1",
            "2 Item 2",
            "3 Item 3",
            "4 Item 4",
            "1 Edited 1",
            "2 Edited 2",
            "3 Edited 3");
    assertThat(log.of(KAFKA.topics().deadLetters()))
        .noneMatch(record -> producer.owns(record.key()));
  }

  private static List<ConsumerRecord<String, byte[]>> snapshots(TroubledProducer producer) {
    return log.of(KAFKA.topics().workItems()).stream()
        .filter(record -> producer.owns(record.key()))
        .toList();
  }

  /** What its events report of failures and of the breaker, in order. */
  private static List<String> told(TroubledProducer producer) {
    return log.of(KAFKA.topics().sessionEvents()).stream()
        .filter(record -> producer.key().equals(record.key()))
        .map(record -> EventHeaders.read(record.headers(), record.value()))
        .filter(event -> !POLLS.contains(event.type()))
        .map(FaultMatrixIT::told)
        .toList();
  }

  private static String told(LifecycleEvent event) {
    return event.type() == EventType.POLL_FAILED
        ? event.data().text(Field.CATEGORY).orElseThrow()
            + ": "
            + event.data().text(Field.REASON).orElseThrow()
        : event.type().toString();
  }

  /** What its poll-state recorded of the cursor and of trouble, in order. */
  private static List<String> steps(TroubledProducer producer) {
    var cursors = new ArrayList<String>();
    var steps = new ArrayList<String>();
    for (var record : log.of(KAFKA.topics().pollState())) {
      if (producer.key().equals(record.key())) {
        PollState state = RecordJson.read(record.value(), PollState.class);
        String cursor = String.valueOf(state.cursor());
        if (!cursors.contains(cursor)) {
          cursors.add(cursor);
        }
        String step = "cursor " + cursors.indexOf(cursor) + step(state.trouble());
        if (steps.isEmpty() || !steps.getLast().equals(step)) {
          steps.add(step);
        }
      }
    }
    return steps;
  }

  private static String step(@Nullable Trouble trouble) {
    return trouble == null
        ? ""
        : ", %s: %s failed, %s limited"
            .formatted(trouble.category(), trouble.failures(), trouble.limited());
  }
}
