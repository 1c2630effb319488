package dev.flyball.runner.protocol;

import static dev.flyball.runner.protocol.OneRunner.CANDIDATE;
import static dev.flyball.runner.protocol.OneRunner.ITEM;
import static dev.flyball.runner.protocol.OneRunner.TIMES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.topic.Position;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** How a runner claims. */
class ParticipantClaimsTest {

  @Test
  void theFirstRunnerSeedsTheLedgerAndRepeatsUntilItSeesIt() {
    var runner = new OneRunner(3);
    runner.caughtUp();
    assertThat(runner.appended(LedgerEntry.Init.class)).hasSize(1);
    runner.passAndTick(TIMES.retry());
    assertThat(runner.appended(LedgerEntry.Init.class)).hasSize(1);

    runner.read(new LedgerEntry.Init(3, 45_000, List.of()));
    runner.passAndTick(TIMES.retry());
    assertThat(runner.appended(LedgerEntry.Init.class)).isEmpty();
  }

  @Test
  void aLedgerSeededOtherwiseIsAWarning() {
    var runner = new OneRunner(3);
    runner.caughtUp();
    runner.read(new LedgerEntry.Init(9, 45_000, List.of()));

    assertThat(runner.taken()).hasAtLeastOneElementOfType(Step.Warn.class);
    assertThat(runner.participant().stopped()).isEmpty();
  }

  @Test
  void nothingIsClaimedBeforeTheLedgerIsRead() {
    var runner = new OneRunner(3);
    runner.read(new LedgerEntry.Init(3, 45_000, List.of()));
    runner.wants(CANDIDATE);

    assertThat(runner.appended(LedgerEntry.Claim.class)).isEmpty();
  }

  @Test
  void anEffectiveClaimStartsItsSessionWithAFenceThatCountsFromBeforeTheSend() {
    OneRunner runner = OneRunner.ready(3);
    runner.wants(CANDIDATE);
    long sentAt = runner.now();
    LedgerEntry.Claim claim = runner.claim();
    runner.pass(Duration.ofSeconds(3));
    runner.read(claim);

    List<Step> steps = runner.taken();
    assertThat(steps).singleElement().isInstanceOf(Step.Start.class);
    var start = (Step.Start) steps.getFirst();
    assertThat(start.lease().request()).isEqualTo(CANDIDATE.request());
    assertThat(start.lease().requestAt()).isEqualTo(CANDIDATE.requestAt());
    assertThat(start.lease().claimedAt()).isEqualTo(runner.next() - 1);
    assertThat(start.fence())
        .isEqualTo(
            new Fence(
                sentAt,
                sentAt + Duration.ofSeconds(35).toNanos(),
                sentAt + Duration.ofSeconds(40).toNanos()));
  }

  @Test
  void oneClaimIsPendingAtMost() {
    OneRunner runner = OneRunner.ready(3);
    runner.wants(CANDIDATE);
    runner.wants(CANDIDATE);

    assertThat(runner.appended(LedgerEntry.Claim.class)).hasSize(1);
  }

  @Test
  @DisplayName("two runners: of each request one claims immediately, the other a turn later")
  void amongOthersAClaimWaitsForItsTurn() {
    int immediately = 0;
    for (int n = 0; n < 100; n++) {
      OneRunner runner = OneRunner.ready(3);
      runner.read(runner.self());
      runner.read(new LedgerEntry.Runner("other", 1, "A", 4, null, null, null, null));
      runner.wants(
          OneRunner.claimOf("r1", new Position(0, 10), ItemKey.parse("acme/web/" + n), null));
      boolean first = !runner.appended(LedgerEntry.Claim.class).isEmpty();
      immediately += first ? 1 : 0;
      if (!first) {
        assertThat(runner.participant().nextTick())
            .isEqualTo(runner.now() + TIMES.herd().toNanos());
        runner.passAndTick(TIMES.herd());
        assertThat(runner.appended(LedgerEntry.Claim.class)).hasSize(1);
      }
    }
    assertThat(immediately).isBetween(30, 70);
  }

  @Test
  void amongRunnersWithoutAFreeSlotAClaimWaitsForNothing() {
    OneRunner runner = OneRunner.ready(200);
    for (int n = 0; n < 100; n++) {
      runner.read(new LedgerEntry.Runner("full" + n, 1, "A", 1, null, null, null, null));
      runner.read(claimOf("full" + n, n));
      runner.read(new LedgerEntry.Runner("closed" + n, 1, "A", 4, "load", null, null, null));
    }
    runner.wants(CANDIDATE);

    assertThat(runner.appended(LedgerEntry.Claim.class)).hasSize(1);
  }

  private static LedgerEntry.Claim claimOf(String runner, int n) {
    return new LedgerEntry.Claim(
        "q" + n,
        new Position(0, 10),
        11,
        ItemKey.parse("acme/web/other" + n),
        1,
        "theirs" + n,
        runner,
        null,
        1,
        0);
  }

  @Test
  void aClaimThatTakesEffectLateIsReleasedUnstartedAndTheRunnerCoolsDown() {
    OneRunner runner = OneRunner.ready(3);
    runner.wants(CANDIDATE);
    LedgerEntry.Claim claim = runner.claim();
    runner.pass(TIMES.late().plusNanos(1));
    runner.read(claim);

    List<Step> steps = runner.taken();
    assertThat(steps).noneMatch(Step.Start.class::isInstance);
    assertThat(steps)
        .filteredOn(Step.Append.class::isInstance)
        .singleElement()
        .satisfies(step ->
            assertThat(((LedgerEntry.Release) ((Step.Append) step).entry()).outcome())
                .isEqualTo(Outcome.INTERRUPTED));
    runner.read(OneRunner.releaseOf(claim.session()));
    runner.wants(OneRunner.claimOf("r2", new Position(0, 12), ITEM, null));
    runner.passAndTick(TIMES.coolDown().minusNanos(1));
    assertThat(runner.appended(LedgerEntry.Claim.class)).isEmpty();
    runner.passAndTick(Duration.ofNanos(1));
    assertThat(runner.appended(LedgerEntry.Claim.class)).hasSize(1);
  }

  @Test
  void aClaimGivenUpAfterItsTimeoutIsStillOursWhenItTakesEffect() {
    OneRunner runner = OneRunner.ready(3);
    runner.wants(CANDIDATE);
    LedgerEntry.Claim first = runner.claim();
    runner.passAndTick(TIMES.late().plusNanos(1));
    assertThat(runner.claim().session()).isNotEqualTo(first.session());

    runner.pass(Duration.ofSeconds(20));
    runner.read(first);
    assertThat(runner.appended(LedgerEntry.Release.class))
        .extracting(LedgerEntry.Release::session)
        .containsExactly(first.session());
  }

  @Test
  void aClaimThatIsNoLongerWantedIsReleasedAsCancelled() {
    OneRunner runner = OneRunner.ready(3);
    runner.wants(CANDIDATE);
    LedgerEntry.Claim claim = runner.claim();
    runner.wantsNoMore();
    runner.read(claim);

    assertThat(runner.appended(LedgerEntry.Release.class))
        .extracting(LedgerEntry.Release::outcome)
        .containsExactly(Outcome.CANCELLED);
  }

  @Test
  void aDrainingRunnerClaimsNothing() {
    OneRunner runner = OneRunner.ready(3);
    runner.participant().drain();
    runner.wants(CANDIDATE);
    runner.passAndTick(Duration.ofMinutes(1));

    assertThat(runner.appended(LedgerEntry.Claim.class)).isEmpty();
  }
}
