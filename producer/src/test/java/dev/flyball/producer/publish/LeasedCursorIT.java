package dev.flyball.producer.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.poll.PollState;
import dev.flyball.contract.poll.Trouble;
import dev.flyball.producer.lease.PollClocks;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.tracker.RequestPermission;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

@Tag("long")
@DisplayName(
    "S2-1, S2-3, S2-4: another producer takes a source over without a gap and without polling at"
        + " the same time")
class LeasedCursorIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final PollClocks CLOCKS =
      new PollClocks(Duration.ofSeconds(20), Duration.ofSeconds(5), Duration.ofSeconds(5));

  private static final Instant TEN = Instant.parse("2026-11-22T10:00:00Z");

  @TempDir Path folder;
  private final AtomicLong now = new AtomicLong();
  private final List<AutoCloseable> open = new ArrayList<>();

  @BeforeAll
  static void provision() {
    KAFKA.provision();
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable closeable : open.reversed()) {
      closeable.close();
    }
  }

  @Test
  void aTransactionThatStaysOpenRefusesTheTakeoverUntilItEnds() {
    var other = transaction("acme/other-2");
    commit(
        "acme/waiting",
        new PollState("-", 3, 9, "c1 poll=p fingerprint=f", Instant.EPOCH, null, null, null));
    LeasedCursor cursor = cursor("one", "acme/waiting", reader());

    assertThat(cursor.take())
        .hasValueSatisfying(why -> assertThat(why.reason()).contains(".poll-state-0 "));
    assertThat(cursor.held()).isFalse();
    other.abortTransaction();

    await().atMost(PATIENCE).until(() -> cursor.take().isEmpty());
    assertThat(cursor.cursor()).isEqualTo("c1 poll=p fingerprint=f");
  }

  @Test
  void whoWasFrozenAndNotReplacedProvesItsLeaseBeforeItAsks() {
    LeasedCursor frozen = cursor("one", "acme/alone", reader());
    assertThat(frozen.take()).isEmpty();
    now.addAndGet(CLOCKS.lease().toNanos());
    assertThatThrownBy(() -> frozen.permission().check())
        .isInstanceOf(RequestPermission.PermissionLost.class);

    assertThat(frozen.take()).isEmpty();

    frozen.permission().check();
  }

  @Test
  @DisplayName(
      "S2-2: a failed renewal ends the permission immediately, and the next one restores it")
  void aLeaseThatIsStillOursIsTakenAgainByTheNextRenewal() {
    LeasedCursor cursor = cursor("one", "acme/again", reader());
    assertThat(cursor.take()).isEmpty();
    fence("acme/again");
    now.addAndGet(CLOCKS.beat().toNanos());

    cursor.beat();
    assertThat(cursor.held()).isFalse();
    assertThat(cursor.failure()).isPresent();
    assertThat(cursor.silence()).as("in vain, and it shows").isEqualTo(CLOCKS.beat());
    assertThatThrownBy(() -> cursor.permission().check())
        .isInstanceOf(RequestPermission.PermissionLost.class);

    cursor.beat();
    assertThat(cursor.held()).isTrue();
    assertThat(cursor.failure()).isEmpty();
    assertThat(cursor.silence()).isZero();
    cursor.permission().check();
  }

  @Test
  @DisplayName("S2-4: a renewal never renews another producer's lease (S2-5)")
  void aRenewalGivesUpWhatASuccessorHolds() {
    LeasedCursor silent = cursor("one", "acme/successor", reader());
    assertThat(silent.take()).isEmpty();
    inSight();
    LeasedCursor successor = cursor("two", "acme/successor", reader());
    assertThat(successor.take()).isPresent();
    now.addAndGet(CLOCKS.lease().toNanos());
    assertThat(successor.take()).isEmpty();
    inSight();
    assertThat(successor.takenFrom())
        .hasValueSatisfying(owner -> assertThat(owner).startsWith("producer-"));

    for (int i = 0; i < 3; i++) {
      silent.beat();
      assertThat(silent.held()).isFalse();
    }

    assertThat(silent.silence()).as("it is the successor's to beat").isZero();
    successor.beat();
    assertThat(successor.held()).isTrue();
    assertThat(successor.failure()).isEmpty();
  }

  @Test
  @DisplayName("S0-33: a pause that a tracker asked for survives the failed write of it")
  void troubleThatCouldNotBeWrittenIsWrittenWithTheNextLease() {
    LeasedCursor cursor = cursor("one", "acme/untold", reader());
    assertThat(cursor.take()).isEmpty();
    fence("acme/untold");

    cursor.polled(TEN, trouble("one hour"));
    assertThat(cursor.held()).isFalse();
    cursor.look();
    assertThat(cursor.trouble()).isEqualTo(trouble("one hour"));

    assertThat(cursor.take()).isEmpty();
    PollState written = Objects.requireNonNull(reader().readToEnd("acme/untold"));
    assertThat(written.trouble()).isEqualTo(trouble("one hour"));
    assertThat(written.polledAt()).isEqualTo(TEN);
  }

  @Test
  @DisplayName(
      "S2-1: a producer that gave a lease back does not take it again, because no thread would"
          + " renew it")
  void aLeaseThatWasGivenBackIsNotTakenByALatePoll() {
    LeasedCursor gone = cursor("one", "acme/gone", reader());
    assertThat(gone.take()).isEmpty();
    gone.close();
    inSight();

    assertThat(gone.take())
        .hasValueSatisfying(why -> assertThat(why.passes() || why.elsewhere()).isFalse());
    assertThat(cursor("two", "acme/gone", reader()).take()).isEmpty();
  }

  /**
   * Waits until what was committed is visible to others. It is visible only once its end marker is
   * written, and a commit does not wait for that.
   */
  private void inSight() {
    var _ = reader(PATIENCE).readToEnd("acme/any");
  }

  private static Trouble trouble(String reason) {
    return new Trouble("rate limited", reason, 0, 1, TEN.plus(Duration.ofHours(2)));
  }

  /** Fences the source's transactional producer, as a successor does that then dies. */
  private static void fence(String source) {
    try (var thief =
        KAFKA
            .clients("thief")
            .producer(
                "thief",
                Map.of("transactional.id", KAFKA.topics().prefix() + "producer/" + source))) {
      thief.initTransactions();
    }
  }

  /** A transaction of another source's producer with a record in poll-state, left open. */
  private KafkaProducer<String, byte[]> transaction(String source) {
    var producer =
        KAFKA.clients("other").producer("other", Map.of("transactional.id", "other/" + source));
    open.add(() -> producer.close(Duration.ZERO));
    producer.initTransactions();
    producer.beginTransaction();
    var _ = producer.send(record(source, null));
    producer.flush();
    return producer;
  }

  private void commit(String source, PollState state) {
    try (var producer =
        KAFKA.clients("before").producer("before", Map.of("transactional.id", source))) {
      producer.initTransactions();
      producer.beginTransaction();
      var _ = producer.send(record(source, state));
      producer.commitTransaction();
    }
  }

  private static ProducerRecord<String, byte[]> record(String source, @Nullable PollState state) {
    var written =
        Optional.ofNullable(state).orElse(new PollState("-", 1, 1, null, null, null, null, null));
    return new ProducerRecord<>(KAFKA.topics().pollState(), source, RecordJson.bytes(written));
  }

  private PollStateReader reader() {
    return reader(CommittedLog.PATIENCE);
  }

  private PollStateReader reader(Duration patience) {
    var reader = new PollStateReader(KAFKA.clients("producer"), (record, reason) -> {}, patience);
    open.add(reader);
    return reader;
  }

  private LeasedCursor cursor(String data, String source, PollStateReader reader) {
    var owner = new OwnerFile(folder.resolve(data).resolve("owner"));
    var cursor =
        new LeasedCursor(KAFKA.clients("producer"), source, reader, owner, CLOCKS, now::get);
    open.add(cursor);
    return cursor;
  }
}
