package dev.flyball.runner.protocol;

import static dev.flyball.runner.protocol.OneRunner.TIMES;
import static dev.flyball.runner.protocol.OneRunner.othersClaim;
import static dev.flyball.runner.protocol.OneRunner.othersRenewal;
import static dev.flyball.runner.protocol.OneRunner.releaseOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
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
import org.junit.jupiter.api.Test;

/** Checkpoints in parts, the cut of the log after them, and what bounds housekeeping. */
class ParticipantCheckpointsTest {
  private static final int OPEN = 1_500;

  @Test
  void thePartsOfACheckpointAreSentOneAfterTheOtherWasRead() {
    OneRunner runner = withManyLeases();
    dueForACheckpoint(runner);
    var parts = new ArrayList<LedgerEntry.Checkpoint>();
    for (var sent = part(runner); sent != null; sent = part(runner)) {
      runner.passAndTick(Duration.ZERO);
      assertThat(part(runner)).as("before part %d was read", parts.size()).isNull();
      parts.add(sent);
      runner.read(sent);
      runner.passAndTick(Duration.ZERO);
    }

    assertThat(parts).hasSizeGreaterThan(1);
    String whole = parts.stream().map(each -> each.state().state()).collect(Collectors.joining());
    var written = new LedgerSnapshot(parts.getFirst().state().digest(), whole);
    assertThat(LedgerState.restore(written).live()).isEqualTo(OPEN);
    assertThat(runner.participant().stopped()).isEmpty();
    runner.passAndTick(TIMES.lease().minusSeconds(1));
    assertThat(part(runner)).as("right after a complete one").isNull();
  }

  @Test
  void aCheckpointOfWhichAPartWasLostIsGivenUpAndAnotherOneIsWritten() {
    OneRunner runner = withManyLeases();
    dueForACheckpoint(runner);
    CheckpointPart lost = sentPart(runner);
    runner.passAndTick(TIMES.late().plus(TIMES.retry()));
    assertThat(part(runner)).isNull();
    runner.passAndTick(TIMES.retry().multipliedBy(2).plusNanos(1));
    runner.passAndTick(TIMES.retry().multipliedBy(2).plusNanos(1));

    CheckpointPart next = sentPart(runner);
    assertThat(next.number()).isOne();
    assertThat(next.set()).isNotEqualTo(lost.set());
  }

  @Test
  void whileAnotherRunnerWritesACheckpointThisOneWaits() {
    OneRunner runner = withManyLeases();
    CheckpointParts others = others(runner);
    for (int i = 0; i < OPEN - 1; i++) {
      runner.read(othersRenewal(i, "s1"));
    }
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

  @Test
  void theLogIsCutBelowTheCheckpointBeforeTheOneJustWrittenAndOnceAnHour() {
    OneRunner runner = OneRunner.ready(3);
    long first = checkpoint(runner).at();
    assertThat(cuts(runner)).as("after the first").isEmpty();
    checkpoint(runner);
    assertThat(cuts(runner)).containsExactly(new Step.Cut(first + 1, Instant.EPOCH.plusSeconds(7)));

    checkpoint(runner);
    assertThat(cuts(runner)).as("within the hour").isEmpty();
  }

  @Test
  void aboveFiftyThousandUnsettledRequestsNothingIsClaimedAndTheRunnersEntrySaysWhy() {
    OneRunner runner = OneRunner.ready(3);
    for (int i = 0; i < Unsettled.MOST; i++) {
      runner.read(othersClaim("s" + i, "q" + i, ItemKey.parse("acme/web/" + i)));
      runner.read(releaseOf("s" + i));
    }
    runner.taken();
    // Of another partition than the request that is settled below.
    runner.wants(OneRunner.claimOf("r1", new Position(1, 10), OneRunner.ITEM, null));
    runner.passAndTick(TIMES.heartbeat());
    List<LedgerEntry> appended = runner.allAppended();
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
  void aFloodOfSettledRequestsIsAppendedInRoundsOfLimitedSize() {
    OneRunner runner = OneRunner.ready(3);
    for (int i = 0; i < 3 * Housekeeping.Settlements.MOST_A_ROUND; i++) {
      runner.read(othersClaim("s" + i, "r" + i, ItemKey.parse("acme/web/" + i)));
      runner.read(releaseOf("s" + i));
    }
    runner.replacedBy(99);
    var settled = new ArrayList<LedgerEntry.Settled>();
    runner.passAndTick(TIMES.retry().multipliedBy(2));
    for (int round = 0; round < 3; round++) {
      List<LedgerEntry.Settled> some = runner.appended(LedgerEntry.Settled.class);
      assertThat(some).hasSize(Housekeeping.Settlements.MOST_A_ROUND);
      some.forEach(runner::read);
      settled.addAll(some);
      runner.passAndTick(TIMES.retry().dividedBy(8));
    }
    assertThat(settled).doesNotHaveDuplicates();
    assertThat(runner.participant().ledger().unsettled()).isZero();
  }

  @Test
  void ofSeveralRunnersEachSettlesAShareAndAllTogetherSettleAll() {
    OneRunner runner = OneRunner.ready(3);
    for (int i = 0; i < 3; i++) {
      runner.read(new LedgerEntry.Runner("other" + i, 1, "A", 4, null, null, null, null));
    }
    for (int i = 0; i < 400; i++) {
      runner.read(othersClaim("s" + i, "r" + i, ItemKey.parse("acme/web/" + i)));
      runner.read(releaseOf("s" + i));
    }
    runner.replacedBy(99);
    runner.passAndTick(TIMES.retry().multipliedBy(2));
    List<LedgerEntry.Settled> share = runner.appended(LedgerEntry.Settled.class);
    assertThat(share).hasSizeBetween(50, 150);
    for (int round = 0; round < 60; round++) {
      runner.read(new LedgerEntry.Runner("other" + round % 3, 1, "A", 4, null, null, null, null));
      runner.passAndTick(TIMES.retry().multipliedBy(2));
      runner.appended(LedgerEntry.Settled.class).forEach(runner::read);
    }
    assertThat(runner.participant().ledger().unsettled()).isZero();
  }

  @Test
  void aFloodOfExpiredLeasesIsWitnessedInRoundsOfLimitedSize() {
    OneRunner runner = withManyLeases();
    runner.read(runner.self());
    runner.passReading(TIMES.lease());
    assertThat(runner.appended(LedgerEntry.Expire.class)).hasSize(Witness.MOST_A_ROUND);
    runner.passAndTick(TIMES.retry().dividedBy(8));
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
      before.read(othersClaim("s" + i, "r" + i, ItemKey.parse("acme/web/" + i)));
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
    for (int i = 0; i < OPEN; i++) {
      runner.read(othersRenewal(i, "s1"));
    }
    runner.passAndTick(Duration.ZERO);
    runner.passAndTick(TIMES.retry());
  }

  /** Lets a runner write a checkpoint and read it. */
  private static LedgerEntry.Checkpoint checkpoint(OneRunner runner) {
    for (int i = 0; i < Checkpointing.EVERY; i++) {
      runner.read(othersRenewal(i, "theirs"));
    }
    runner.passAndTick(Duration.ZERO);
    runner.passAndTick(TIMES.retry().multipliedBy(2));
    runner.passAndTick(TIMES.retry().multipliedBy(2));
    LedgerEntry.Checkpoint written = Objects.requireNonNull(part(runner));
    runner.readAt(Instant.EPOCH.plusSeconds(7), written);
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

  private static List<Step.Cut> cuts(OneRunner runner) {
    return runner.taken().stream()
        .filter(Step.Cut.class::isInstance)
        .map(Step.Cut.class::cast)
        .toList();
  }
}
