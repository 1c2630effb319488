package dev.flyball.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.ledger.CheckpointParts;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerSnapshot;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.topic.TopicSpec;
import dev.flyball.kafka.LedgerReader.LedgerRecord;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * design.md section 3: reading from the newest checkpoint, and the ledgers that are none any more.
 */
class LedgerReaderIT {
  private static final Duration SHORT = Duration.ofMillis(200);

  private final KafkaClients clients = TestCluster.clients();
  private final String topic = clients.topics().sessionLedger();
  private final TopicPartition partition = new TopicPartition(topic, 0);

  /** What was appended, folded as it was: the truth that every reader must reach. */
  private LedgerState truth = LedgerState.empty();

  private long next;

  @BeforeEach
  void provision() {
    new TopicProvisioner(clients).provision(List.of(spec()));
  }

  @Test
  void anEmptyLedgerBeginsEmptyAndTails() {
    try (var reader = LedgerReader.open(clients)) {
      assertThat(reader.start()).isEqualTo(LedgerState.empty());
      assertThat(reader.caughtUp()).isTrue();
      append(caps(2));
      LedgerState read = read(reader);
      assertThat(read.digest()).isEqualTo(truth.digest());
      assertThat(read.cap()).isEqualTo(2);
    }
  }

  @Test
  void closingDoesNotWaitForTheFetchThatWaitsAtTheBroker() {
    append(caps(1));
    var reader = LedgerReader.open(clients);
    drain(reader);
    reader.poll(SHORT);

    long before = System.nanoTime();
    reader.close();

    // The fetch has at least 1.5 s left.
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofMillis(1_200));
  }

  @Test
  void anUnreadableEntryIsReportedAndHasNoEffect() {
    append(caps(1));
    append(List.of("{\"entry\":\"who knows\"}".getBytes(StandardCharsets.UTF_8)));
    append(caps(1));
    try (var reader = LedgerReader.open(clients)) {
      List<LedgerRecord> records = drain(reader);
      assertThat(records).hasSize(3);
      assertThat(records.get(1).entry()).isNull();
      assertThat(records.get(1).unreadable()).startsWith("not a LedgerEntry");
      assertThat(fold(reader.start(), records).digest()).isEqualTo(truth.digest());
    }
  }

  @Test
  void startsAtTheNewestCheckpointAndReachesTheSameState() {
    append(caps(300));
    append(List.of(checkpoint()));
    append(caps(3_000));
    append(List.of(checkpoint()));
    append(caps(5_000));
    long newest = next - 5_000 - 1;
    try (var reader = LedgerReader.open(clients)) {
      assertThat(reader.start().offset()).isEqualTo(newest - 1);
      assertThat(read(reader).digest()).isEqualTo(truth.digest());
    }
  }

  @Test
  void aBrokenCheckpointIsPassedOverForAnOlderOne() {
    append(caps(10));
    append(List.of(checkpoint()));
    append(caps(10));
    LedgerSnapshot good = truth.snapshot();
    append(
        List.of(
            new LedgerEntry.Checkpoint(
                next - 1,
                LedgerState.RULES,
                null,
                new LedgerSnapshot("wrong digest", good.state()))));
    try (var reader = LedgerReader.open(clients)) {
      assertThat(reader.start().offset()).isEqualTo(9);
      assertThat(read(reader).cap()).isEqualTo(truth.cap());
    }
  }

  @Test
  void aCheckpointInPartsIsFoundAlsoWhereOthersAreBetweenItsParts() {
    append(manyPauses());
    List<LedgerEntry> one = parts("one");
    long at = next - 1;
    append(one.subList(0, 1));
    List<LedgerEntry> two = parts("two");
    append(two.subList(0, 1));
    append(caps(3_000));
    append(one.subList(1, one.size()));
    append(two.subList(1, two.size() - 1));
    append(caps(100));

    assertThat(one).hasSizeGreaterThan(2);
    try (var reader = LedgerReader.open(clients)) {
      assertThat(reader.start().offset()).as("the second one lacks its last part").isEqualTo(at);
      assertThat(read(reader).digest()).isEqualTo(truth.digest());
    }
    append(two.subList(two.size() - 1, two.size()));
    try (var reader = LedgerReader.open(clients)) {
      assertThat(reader.start().offset()).isEqualTo(at + 1);
      assertThat(read(reader).digest()).isEqualTo(truth.digest());
    }
  }

  @Test
  void aCheckpointOfWhichAPartIsMissingIsPassedOverForAnOlderOne() {
    append(caps(10));
    append(List.of(checkpoint()));
    append(manyPauses());
    List<LedgerEntry> parts = parts("holed");
    append(parts.subList(0, 1));
    append(parts.subList(2, parts.size()));

    try (var reader = LedgerReader.open(clients)) {
      assertThat(reader.start().offset()).isEqualTo(9);
      assertThat(read(reader).digest()).isEqualTo(truth.digest());
    }
  }

  @Test
  void theLogIsCutOnlyBelowWhatIsCheckpointedOldAndFoldedByTriage() {
    append(caps(100));
    var cut = new LedgerCut(clients);
    Instant later = Instant.now().plus(LedgerCut.KEPT).plusSeconds(60);

    assertThat(cut.cut(90, later)).as("triage-stream never ran").isEmpty();
    committed(60);
    assertThat(cut.cut(90, Instant.now())).as("no entry is old enough").isEmpty();
    append(caps(1));
    assertThat(cut.cut(90, later)).as("no entry is newer: is that clock right?").isEmpty();
    assertThat(begin()).isZero();
  }

  @Test
  void theLogIsCutAtTheLowestOfItsBounds() {
    append(caps(50));
    pass();
    Instant between = Instant.now();
    pass();
    append(caps(50));
    committed(80);
    var cut = new LedgerCut(clients);

    assertThat(cut.cut(90, between.plus(LedgerCut.KEPT))).hasValue(50);
    assertThat(begin()).isEqualTo(50);
    assertThat(cut.cut(30, between.plus(LedgerCut.KEPT))).as("it was cut further").isEmpty();
    committed(20);
    assertThat(cut.cut(90, between.plus(LedgerCut.KEPT))).isEmpty();
  }

  @Test
  void aLedgerCutBelowItsCheckpointIsWholeAndOneCutAboveItIsNot() {
    append(caps(10));
    append(List.of(checkpoint()));
    append(caps(10));
    cutBelow(8);
    try (var reader = LedgerReader.open(clients)) {
      assertThat(read(reader).digest()).isEqualTo(truth.digest());
    }
    cutBelow(12);
    assertThatThrownBy(() -> LedgerReader.open(clients).close())
        .isInstanceOf(LedgerUnusable.class)
        .hasMessageContaining(topic)
        .hasMessageContaining("begins at offset 12");
  }

  @Test
  void aReaderWhosePositionIsGoneSaysSo() {
    append(caps(5));
    try (var reader = LedgerReader.open(clients)) {
      cutBelow(5);
      append(caps(5));
      cutBelow(8);
      assertThatThrownBy(() -> drain(reader))
          .isInstanceOf(LedgerUnusable.class)
          .hasMessageContaining("offset 0")
          .hasMessageNotContaining("\n");
    }
  }

  @Test
  void aRecreatedLedgerIsNoticedByItsTopicId() {
    append(caps(5));
    try (var reader = LedgerReader.open(clients, SHORT)) {
      drain(reader);
      try (Admin admin = clients.admin("recreate")) {
        TestCluster.get(admin.deleteTopics(List.of(topic)).all());
      }
      Awaitility.await()
          .ignoreExceptions()
          .until(() -> {
            new TopicProvisioner(clients).provision(List.of(spec()));
            return true;
          });
      append(caps(20));
      Awaitility.await()
          .untilAsserted(() ->
              assertThatThrownBy(() -> reader.poll(SHORT))
                  .isInstanceOf(LedgerUnusable.class)
                  .hasMessageContaining(topic));
    }
  }

  private TopicSpec spec() {
    return clients.topics().spec(topic);
  }

  /** Operator entries that each take effect. */
  private List<LedgerEntry> caps(int count) {
    return IntStream.range(0, count)
        .mapToObj(i ->
            (LedgerEntry)
                new LedgerEntry.Cap(
                    Scope.GLOBAL,
                    i + 1,
                    i == 0 ? truth.lastOperator(Scope.GLOBAL) : next + i - 1,
                    "test",
                    "test"))
        .toList();
  }

  /** So many that a checkpoint of them has several parts. */
  private List<LedgerEntry> manyPauses() {
    return IntStream.range(0, 600)
        .mapToObj(i ->
            (LedgerEntry)
                new LedgerEntry.Pause("tenant:t" + i, null, -1, "test", "why".repeat(300)))
        .toList();
  }

  private List<LedgerEntry> parts(String set) {
    var parts = new ArrayList<LedgerEntry>();
    new CheckpointParts(truth, set).forEachRemaining(parts::add);
    return parts;
  }

  /** Waits until the clock has moved on by a millisecond, which is what append times count in. */
  private static void pass() {
    Instant before = Instant.now();
    Awaitility.await().until(() -> Instant.now().isAfter(before.plusMillis(5)));
  }

  private void committed(long offset) {
    try (Admin admin = clients.admin("commit")) {
      TestCluster.get(
          admin
              .alterConsumerGroupOffsets(
                  clients.topics().applicationId(),
                  Map.of(partition, new OffsetAndMetadata(offset)))
              .all());
    }
  }

  private long begin() {
    try (Admin admin = clients.admin("begin")) {
      return TestCluster.get(
              admin
                  .listOffsets(Map.of(partition, OffsetSpec.earliest()))
                  .partitionResult(partition))
          .offset();
    }
  }

  private LedgerEntry checkpoint() {
    return new LedgerEntry.Checkpoint(next - 1, LedgerState.RULES, null, truth.snapshot());
  }

  private void append(List<?> values) {
    TestCluster.append(clients, topic, values);
    for (Object value : values) {
      truth =
          value instanceof LedgerEntry entry
              ? truth.fold(entry, next, Instant.EPOCH).state()
              : truth.skip(next);
      next++;
    }
  }

  private void cutBelow(long offset) {
    try (Admin admin = clients.admin("cut")) {
      TestCluster.get(
          admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(offset))).all());
    }
  }

  private LedgerState read(LedgerReader reader) {
    return fold(reader.start(), drain(reader));
  }

  private List<LedgerRecord> drain(LedgerReader reader) {
    var found = new ArrayList<LedgerRecord>();
    while (reader.position() < next) {
      found.addAll(reader.poll(SHORT));
    }
    return found;
  }

  private static LedgerState fold(LedgerState start, List<LedgerRecord> records) {
    LedgerState state = start;
    for (LedgerRecord record : records) {
      state = record.after(state);
    }
    return state;
  }
}
