package dev.flyball.runner.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.topic.Position;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.runner.gate.GateRefusal;
import dev.flyball.runner.protocol.LeaseTimes;
import dev.flyball.runner.protocol.Step;
import dev.flyball.testkit.Sample;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

class RequestFeedTest {
  private static final Instant NOON = Instant.parse("2026-11-22T12:00:00Z");
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final List<Long> deadLetters = new ArrayList<>();
  private final RequestBoard board =
      new RequestBoard(
          new RunnerCallbacks.Self("r1", "A", 2, Map.of("default", 0L)),
          held -> Optional.of(new GateRefusal(GateRefusal.Kind.SLOTS, "none free")),
          RunnerCallbacks.Declines.NONE);
  private final KafkaClients clients = new KafkaClients(KafkaSettings.of("127.0.0.1:1"), "test");
  private final RequestFeed intake =
      new RequestFeed(
          clients, board, (record, reason) -> deadLetters.add(record.offset()), () -> {});

  @Test
  void aBatchThatAnErrorCutsShortIsGoneOnWith() {
    batch(List.of(request(0), new FailsOnce(1), request(2), tombstone(3)));

    assertThatThrownBy(intake::take).isInstanceOf(OutOfMemoryError.class);
    assertThat(board.readTo()).as("nothing is said to be read before it is").isEmpty();
    assertThat(intake.caughtUp()).isFalse();

    intake.take();
    assertThat(board.waiting()).isEqualTo(3);
    assertThat(board.readTo()).isEqualTo(Map.of(0, 4L));
    assertThat(intake.caughtUp()).isTrue();
  }

  @Test
  void aRecordThatCannotBeReadIsPassed() {
    batch(
        List.of(
            new ConsumerRecord<>(
                "requests", 0, 0, "acme/web/0", "{".getBytes(StandardCharsets.UTF_8)),
            request(1)));

    intake.take();
    assertThat(deadLetters).containsExactly(0L);
    assertThat(board.waiting()).isEqualTo(1);
  }

  @Test
  void aPartitionThatEndsBelowTheLedgersFloorIsReportedOnceTwoLooksSawIt() {
    batch(List.of(request(94)));
    intake.take();
    LedgerState ledger = settledBy(100);

    intake.check(ledger, 0);
    intake.check(ledger, SECOND);
    assertThat(intake.lost()).as("it may be a moment behind the ledger").isEmpty();
    intake.check(ledger, 5 * SECOND);
    assertThat(intake.lost())
        .singleElement()
        .asString()
        .contains("partition 0", "offset 95", "101");

    batch(List.of(request(100)));
    intake.take();
    intake.check(ledger, 10 * SECOND);
    assertThat(intake.lost()).as("it was a moment behind").isEmpty();
  }

  @Test
  void stepsOfAClaimAreDoneAlsoIfTheBoardFails() {
    var cuts = new ArrayList<Step.Cut>();
    var bodies = new RequestBodies(clients);
    var link = new LedgerLink(clients, LeaseTimes.DEFAULTS);
    var acts = new StepExecutor(board, link, bodies, handle -> {}, release -> {}, cuts::add);
    var cut = new Step.Cut(1, NOON);

    assertThatThrownBy(() -> acts.answered(claim(90), Optional.of(broken()), List.of(cut)))
        .isInstanceOf(RuntimeException.class);
    assertThat(cuts).containsExactly(cut);
  }

  private void batch(List<ConsumerRecord<String, byte[]>> all) {
    Map<Integer, Long> readTo = Map.of(0, all.getLast().offset() + 1);
    intake.batches.add(new RequestFeed.Batch(all, readTo, true, Map.of()));
  }

  private static ConsumerRecord<String, byte[]> request(long offset) {
    return new ConsumerRecord<>("requests", 0, offset, "acme/web/" + offset, body());
  }

  private static ConsumerRecord<String, byte[]> tombstone(long offset) {
    return new ConsumerRecord<>("requests", 0, offset, "acme/web/gone", null);
  }

  private static byte[] body() {
    return RecordJson.bytes(Sample.request("r", 1, NOON, null, Sample.snapshot("title", "text")));
  }

  /** A request for which there is no memory at first. */
  private static final class FailsOnce extends ConsumerRecord<String, byte[]> {
    private boolean failed;

    FailsOnce(long offset) {
      super("requests", 0, offset, "acme/web/" + offset, body());
    }

    @Override
    public byte[] value() {
      if (!failed) {
        failed = true;
        throw new OutOfMemoryError("Java heap space");
      }
      return super.value();
    }
  }

  private static LedgerEntry.Claim claim(long offset) {
    return Sample.with(
        Sample.claim("acme/web/1", "q", "s"),
        Map.of("requestAt", new Position(0, offset), "readTo", offset + 1));
  }

  @SuppressWarnings("NullAway") // What no ledger holds: the board fails on it.
  private static Lease broken() {
    return new Lease("s", "q", new Position(0, 0), null, 1, "r", null, 1, 0, 0, 0, 0, 0, 0);
  }

  private static LedgerState settledBy(long by) {
    LedgerState ledger = LedgerState.empty();
    for (LedgerEntry entry :
        List.of(
            new LedgerEntry.Init(2, 45_000, List.of()),
            claim(90),
            new LedgerEntry.Expire("s", 1),
            new LedgerEntry.Settled("q", by))) {
      ledger = ledger.fold(entry, ledger.offset() + 1, NOON).state();
    }
    return ledger;
  }
}
