package dev.flyball.runner.protocol;

import static dev.flyball.runner.protocol.OneRunner.TIMES;
import static dev.flyball.runner.protocol.OneRunner.othersClaim;
import static dev.flyball.runner.protocol.OneRunner.othersRenewal;
import static dev.flyball.runner.protocol.OneRunner.releaseOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.ledger.CheckpointPart;
import dev.flyball.contract.ledger.CheckpointParts;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerSnapshot;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.topic.Position;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Checkpoints in parts, the cut of the log after them, and what bounds housekeeping. */
class ParticipantCheckpointsTest {
  private static final int OPEN = 1_500;
  private static final Duration INSTANT = Duration.ofNanos(1);

  @Test
  void thePartsOfACheckpointAreSentOneAfterTheOtherWasRead() {
    OneRunner runner = withManyLeases();
    dueForACheckpoint(runner);
    var parts = new ArrayList<LedgerEntry.Checkpoint>();
    for (var sent = part(runner); sent != null; sent = part(runner)) {
      runner.passAndTick(TIMES.late().plus(TIMES.retry()));
      assertThat(part(runner)).as("before part %d was read", parts.size()).isNull();
      parts.add(sent);
      runner.read(sent);
      assertThat(runner.participant().nextTick()).isLessThanOrEqualTo(runner.now());
      assertThat(runner.taken(Step.Cut.class)).isEmpty();
      runner.passAndTick(Duration.ZERO);
    }

    assertThat(parts).hasSizeGreaterThan(1);
    String whole = parts.stream().map(each -> each.state().state()).collect(Collectors.joining());
    var written = new LedgerSnapshot(parts.getFirst().state().digest(), whole);
    assertThat(LedgerState.restore(written).live()).isEqualTo(OPEN - 1);
    assertThat(runner.participant().stopped()).isEmpty();
    runner.passAndTick(TIMES.retry());
    assertThat(part(runner)).as("right after a complete one").isNull();
  }

  @Test
  void aCheckpointOfWhichAPartWasLostIsGivenUpAndAnotherOneIsWrittenAMomentLater() {
    OneRunner runner = withManyLeases();
    dueForACheckpoint(runner);
    CheckpointPart lost = sentPart(runner);
    runner.read(new LedgerEntry.Settled("q2", 99));
    Duration patience = TIMES.late().plus(TIMES.retry());
    assertThat(runner.participant().nextTick()).isEqualTo(runner.now() + patience.toNanos() + 1);
    runner.passAndTick(patience);
    runner.passAndTick(INSTANT);
    runner.passAndTick(TIMES.retry().minus(INSTANT));
    assertThat(part(runner)).isNull();
    assertThat(runner.participant().nextTick()).isEqualTo(runner.now() + 1);
    runner.passAndTick(INSTANT);

    CheckpointPart next = sentPart(runner);
    assertThat(next.number()).isOne();
    assertThat(next.set()).isNotEqualTo(lost.set());
  }

  @Test
  @DisplayName("two runners: of each checkpoint one begins immediately, the other a turn later")
  void runnersTakeTurnsAtCheckpoints() {
    int immediately = 0;
    for (int n = 0; n < 20; n++) {
      OneRunner runner = OneRunner.ready(3);
      runner.read(runner.self());
      runner.read(OneRunner.runner("other" + n));
      renewals(runner, Checkpointing.EVERY);
      Duration wait = runner.until(LedgerEntry.Checkpoint.class);
      assertThat(wait).isIn(Duration.ZERO, TIMES.herd());
      immediately += wait.isZero() ? 1 : 0;
    }
    assertThat(immediately).isBetween(3, 17);
  }

  @Test
  void whileAnotherRunnerWritesACheckpointThisOneWaits() {
    OneRunner runner = withManyLeases();
    CheckpointParts others = others(runner);
    renewals(runner, OPEN - 1);
    while (others.hasNext()) {
      runner.read(others.next());
      runner.passAndTick(TIMES.retry().minusNanos(1));
      assertThat(part(runner)).isNull();
    }
    runner.passAndTick(TIMES.retry().multipliedBy(3));
    assertThat(part(runner)).as("it is complete").isNull();
  }

  @Test
  void ofTwoRunnersThatBeginACheckpointTheOneContinuesWhosePartIsFirstInTheLog() {
    OneRunner first = withManyLeases();
    dueForACheckpoint(first);
    LedgerEntry.Checkpoint mine = Objects.requireNonNull(part(first));
    LedgerEntry.Checkpoint theirs = others(first).next();
    first.read(mine);
    first.read(theirs);
    first.passAndTick(Duration.ZERO);
    assertThat(sentPart(first).number()).as("its part came first").isEqualTo(2);

    OneRunner second = withManyLeases();
    dueForACheckpoint(second);
    mine = Objects.requireNonNull(part(second));
    second.read(others(second).next());
    second.read(mine);
    second.passAndTick(TIMES.retry().minusNanos(1));
    assertThat(part(second)).as("its part came second").isNull();
  }

  @ParameterizedTest(name = "{0} ns after the hour: {1}")
  @CsvSource({"-1, 0", "0, 1"})
  void theLogIsCutBelowTheCheckpointBeforeTheOneJustWrittenAndOnceAnHour(long after, int cuts) {
    OneRunner runner = OneRunner.ready(3);
    long first = checkpoint(runner).at();
    assertThat(runner.taken(Step.Cut.class)).as("after the first").isEmpty();
    checkpoint(runner);
    long cutAt = runner.now();
    assertThat(runner.taken(Step.Cut.class))
        .containsExactly(new Step.Cut(first + 1, Instant.EPOCH.plusSeconds(7)));

    LedgerEntry.Checkpoint third = sent(runner);
    runner.pass(Duration.ofHours(1).plusNanos(cutAt - runner.now() + after));
    runner.read(third);
    assertThat(runner.taken(Step.Cut.class)).hasSize(cuts);
  }

  @Test
  void theLogIsCutAfterNoCheckpointOfAnotherRunnerAndNoneThatDiffers() {
    OneRunner runner = OneRunner.ready(3);
    checkpoint(runner);
    runner.taken();
    runner.read(others(runner).next());
    assertThat(runner.taken()).isEmpty();

    LedgerEntry.Checkpoint mine = sent(runner);
    LedgerSnapshot other = LedgerState.empty().snapshot();
    runner.read(new LedgerEntry.Checkpoint(mine.at(), mine.rules(), mine.part(), other));
    assertThat(runner.taken()).singleElement().isInstanceOf(Step.StopClaiming.class);
  }

  @Test
  void aRunnerSpeaksOfItselfEachHeartbeatAndAfterAChangeButNotTooOften() {
    OneRunner runner = OneRunner.ready(3);
    for (int i = 0; i < 5; i++) {
      assertThat(runner.until(LedgerEntry.Runner.class)).isEqualTo(TIMES.heartbeat());
      assertThat(runner.taken()).as("it knows no newer rules").isEmpty();
    }
    runner.knows(2);
    runner.passAndTick(TIMES.retry().minus(INSTANT));
    assertThat(runner.appended(LedgerEntry.Runner.class)).isEmpty();
    runner.passAndTick(INSTANT);
    assertThat(runner.one(LedgerEntry.Runner.class)).isEqualTo(runner.self());
    assertThat(runner.until(LedgerEntry.Runner.class)).isEqualTo(TIMES.heartbeat());
  }

  @Test
  void newRulesAreProposedOnceEveryRunnerWasHeardAndKnowsThem() {
    OneRunner runner = OneRunner.ready(3);
    runner.knows(2);
    runner.read(runner.self());
    // The start counts as one heartbeat.
    runner.pass(TIMES.heartbeat());
    runner.read(runner.self());
    for (String round : List.of("after three heartbeats", "repeated")) {
      runner.passAndTick(TIMES.heartbeat().minus(INSTANT));
      assertThat(runner.taken()).as(round).isEmpty();
      runner.passAndTick(INSTANT);
      assertThat(runner.one(LedgerEntry.Rules.class)).isEqualTo(new LedgerEntry.Rules(2));
    }
    runner.read(OneRunner.runner("old"));
    runner.passAndTick(TIMES.heartbeat());
    assertThat(runner.taken()).isEmpty();
    runner.read(new LedgerEntry.Runner("old", 2, "A", 4, null, null, null, null));
    runner.passAndTick(Duration.ZERO);
    assertThat(runner.taken()).hasSize(1);
  }

  @Test
  void aboveFiftyThousandUnsettledRequestsNothingIsClaimedAndTheRunnersEntrySaysWhy() {
    OneRunner runner = withSpent(Unsettled.MOST);
    // Of another partition than the request that is settled below.
    runner.wants(OneRunner.candidate(Unsettled.MOST, new Position(1, 10), null));
    runner.passAndTick(TIMES.heartbeat());
    List<LedgerEntry> appended = runner.appended(LedgerEntry.class);
    String reason = Unsettled.tooMany(runner.participant().ledger()).orElseThrow();
    assertThat(appended).noneMatch(LedgerEntry.Claim.class::isInstance);
    assertThat(appended)
        .contains(new LedgerEntry.Runner("me", 1, "A", 4, reason, null, null, null));

    runner.read(new LedgerEntry.Settled("q7", 99));
    runner.passAndTick(TIMES.retry());
    assertThat(Unsettled.tooMany(runner.participant().ledger())).isEmpty();
    assertThat(runner.appended(LedgerEntry.Claim.class)).hasSize(1);
  }

  @Test
  void aSpentRequestIsSettledOnceItsRecordIsReplacedAndThatIsRepeatedAtRandomTimes() {
    OneRunner runner = withSpent(1);
    runner.replacedBy(10);
    runner.passAndTick(Duration.ZERO);
    assertThat(runner.appended(LedgerEntry.Settled.class)).as("by itself").isEmpty();
    runner.replacedBy(11);
    var waits = new ArrayList<Duration>();
    for (int i = 0; i < 30; i++) {
      waits.add(runner.until(LedgerEntry.Settled.class));
    }
    assertThat(waits)
        .allMatch(each -> each.compareTo(TIMES.retry().dividedBy(2)) >= 0)
        .allMatch(each -> each.compareTo(TIMES.retry().multipliedBy(3).dividedBy(2)) < 0)
        .anyMatch(each -> each.compareTo(TIMES.retry()) > 0);
  }

  @Test
  void aFloodOfSettledRequestsIsAppendedImmediatelyInRoundsOfLimitedSize() {
    OneRunner runner = withSpent(3 * Housekeeping.Settlements.MOST_A_ROUND);
    runner.replacedBy(99);
    for (int round = 0; round < 3; round++) {
      assertThat(runner.until(LedgerEntry.Settled.class))
          .isEqualTo(TIMES.retry().dividedBy(8).multipliedBy(Math.min(round, 1)));
      List<LedgerEntry.Settled> some = runner.appended(LedgerEntry.Settled.class);
      assertThat(some).hasSize(Housekeeping.Settlements.MOST_A_ROUND);
      some.forEach(runner::read);
    }
    assertThat(runner.participant().ledger().unsettled()).isZero();
  }

  @Test
  void ofSeveralRunnersEachSettlesAShareAndAllTogetherSettleAll() {
    OneRunner runner = withSpent(400);
    for (int i = 0; i < 3; i++) {
      runner.read(OneRunner.runner("other" + i));
    }
    runner.replacedBy(99);
    runner.until(LedgerEntry.Settled.class);
    assertThat(runner.appended(LedgerEntry.Settled.class)).hasSizeBetween(50, 150);
    for (int round = 0; round < 60; round++) {
      runner.read(OneRunner.runner("other" + round % 3));
      runner.passAndTick(TIMES.retry().multipliedBy(2));
      runner.appended(LedgerEntry.Settled.class).forEach(runner::read);
    }
    assertThat(runner.participant().ledger().unsettled()).isZero();
  }

  /** One that read the ends of so many requests. */
  private static OneRunner withSpent(int requests) {
    OneRunner runner = OneRunner.ready(3);
    for (int i = 0; i < requests; i++) {
      runner.read(othersClaim("s" + i, i));
      runner.read(releaseOf("s" + i));
    }
    runner.taken();
    return runner;
  }

  @Test
  void aFloodOfExpiredLeasesIsWitnessedInRoundsOfLimitedSize() {
    OneRunner runner = withManyLeases();
    assertThat(runner.until(LedgerEntry.Expire.class)).isEqualTo(TIMES.lease());
    assertThat(runner.appended(LedgerEntry.Expire.class)).hasSize(Witness.MOST_A_ROUND);
    assertThat(runner.until(LedgerEntry.Expire.class)).isEqualTo(TIMES.retry().dividedBy(8));
    List<LedgerEntry.Expire> second = runner.appended(LedgerEntry.Expire.class);
    assertThat(second).hasSize(Witness.MOST_A_ROUND);
    second.forEach(runner::read);
    runner.passAndTick(TIMES.retry().dividedBy(8));

    assertThat(runner.appended(LedgerEntry.Expire.class))
        .hasSize(Witness.MOST_A_ROUND)
        .doesNotContainAnyElementsOf(second);
  }

  /** One that joined a ledger with so many leases of others. */
  private static OneRunner withManyLeases() {
    OneRunner before = OneRunner.ready(OPEN + 1);
    for (int i = 0; i < OPEN; i++) {
      before.read(othersClaim("s" + i, i));
    }
    others(before).forEachRemaining(before::read);
    LedgerState state = before.participant().ledger();
    var runner = new OneRunner(OPEN + 1);
    runner.startFrom(state);
    runner.caughtUp();
    runner.taken();
    return runner;
  }

  private static void dueForACheckpoint(OneRunner runner) {
    runner.read(releaseOf("s2"));
    renewals(runner, OPEN - 2);
    runner.passAndTick(TIMES.retry());
    assertThat(part(runner)).as("fewer entries than open and unsettled requests").isNull();
    renewals(runner, 1);
    runner.passAndTick(Duration.ZERO);
  }

  private static void renewals(OneRunner runner, long entries) {
    for (int i = 0; i < entries; i++) {
      runner.read(othersRenewal(i, "s1"));
    }
  }

  private static LedgerEntry.Checkpoint sent(OneRunner runner) {
    renewals(runner, Checkpointing.EVERY);
    runner.until(LedgerEntry.Checkpoint.class);
    return runner.one(LedgerEntry.Checkpoint.class);
  }

  /** Lets a runner write a checkpoint and read it. */
  private static LedgerEntry.Checkpoint checkpoint(OneRunner runner) {
    LedgerEntry.Checkpoint written = sent(runner);
    runner.readAt(Instant.EPOCH.plusSeconds(7), written);
    runner.passAndTick(Duration.ZERO);
    return written;
  }

  private static CheckpointParts others(OneRunner runner) {
    return new CheckpointParts(runner.participant().ledger(), "others");
  }

  private static CheckpointPart sentPart(OneRunner runner) {
    return Objects.requireNonNull(Objects.requireNonNull(part(runner)).part());
  }

  private static LedgerEntry.@Nullable Checkpoint part(OneRunner runner) {
    List<LedgerEntry.Checkpoint> sent = runner.appended(LedgerEntry.Checkpoint.class);
    assertThat(sent).hasSizeLessThan(2);
    return sent.isEmpty() ? null : sent.getFirst();
  }
}
