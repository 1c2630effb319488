package dev.flyball.runner.protocol;

import static dev.flyball.runner.protocol.OneRunner.ITEM;
import static dev.flyball.runner.protocol.OneRunner.TIMES;
import static dev.flyball.runner.protocol.OneRunner.othersClaim;
import static dev.flyball.runner.protocol.OneRunner.othersRenewal;
import static dev.flyball.runner.protocol.OneRunner.releaseOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.ledger.LedgerEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Renewals, fences, releases and witnessing. */
class ParticipantLeasesTest {
  private static final String MINE = "mine1";

  // S1-1, T15
  @Test
  void aSessionIsRenewedEveryTenSeconds() {
    OneRunner runner = OneRunner.holding();
    runner.passAndTick(TIMES.renew().minusNanos(1));
    assertThat(runner.appended(LedgerEntry.Renew.class)).isEmpty();
    runner.passAndTick(Duration.ofNanos(1));

    LedgerEntry.Renew renewal = runner.renewal();
    assertThat(renewal.sessions()).containsExactly(new LedgerEntry.Usage(MINE, 7, 70));
  }

  @Test
  void aRenewalNotYetSeenIsRepeatedWithItsOwnN() {
    OneRunner runner = OneRunner.holding();
    runner.passAndTick(TIMES.renew());
    long first = runner.renewal().n();
    runner.passAndTick(TIMES.retry());

    assertThat(runner.renewal().n()).isEqualTo(first + 1);
  }

  @Test
  void aDuplicateOrALateOlderRenewalDoesNotMoveTheFence() {
    OneRunner runner = OneRunner.holding();
    runner.passAndTick(TIMES.renew());
    LedgerEntry.Renew older = runner.renewal();
    runner.passAndTick(TIMES.retry());
    LedgerEntry.Renew newer = runner.renewal();
    runner.read(newer);
    Fence fence = runner.fence(MINE);
    runner.pass(Duration.ofSeconds(3));
    runner.read(newer);
    runner.read(older);

    assertThat(runner.fence(MINE)).isEqualTo(fence);
  }

  @Test
  void anotherProcessesRenewalWithTheSameNDoesNotCount() {
    OneRunner runner = OneRunner.holding();
    runner.passAndTick(TIMES.renew());
    long n = runner.renewal().n();
    runner.read(othersRenewal(n, "theirs"));
    runner.passAndTick(TIMES.retry());

    assertThat(runner.appended(LedgerEntry.Renew.class)).hasSize(1);
  }

  // S1-6, S1-10
  @Test
  void atItsFenceASessionIsKilledAndRenewedOnUntilDead() {
    OneRunner runner = OneRunner.holding();
    runner.passAndTick(Duration.ofSeconds(35));

    List<Step> steps = runner.taken();
    assertThat(steps).contains(new Step.Kill(MINE, Step.Kill.Reason.FENCED));
    runner.passAndTick(TIMES.retry());
    assertThat(runner.appended(LedgerEntry.Renew.class)).hasSize(1);
    runner.dead(MINE);
    assertThat(runner.appended(LedgerEntry.Release.class)).hasSize(1);
    runner.passAndTick(TIMES.renew());
    assertThat(runner.appended(LedgerEntry.Renew.class)).isEmpty();
  }

  @Test
  void aFenceIsFinalEvenIfARenewalTakesEffectInTheSameInstant() {
    OneRunner runner = OneRunner.holding();
    runner.passAndTick(TIMES.renew());
    LedgerEntry.Renew renewal = runner.renewal();
    runner.pass(Duration.ofSeconds(25));
    runner.read(renewal);

    assertThat(runner.taken()).containsExactly(new Step.Kill(MINE, Step.Kill.Reason.FENCED));
  }

  @Test
  void aReleaseIsRepeatedUntilTheLedgerShowsTheEnd() {
    OneRunner runner = OneRunner.holding();
    runner.dead(MINE);
    assertThat(runner.appended(LedgerEntry.Release.class)).hasSize(1);
    runner.passAndTick(TIMES.retry());
    assertThat(runner.appended(LedgerEntry.Release.class)).hasSize(1);

    runner.read(releaseOf(MINE));
    assertThat(runner.taken()).containsExactly(new Step.Closed(MINE));
    runner.passAndTick(TIMES.retry());
    assertThat(runner.appended(LedgerEntry.Release.class)).isEmpty();
  }

  @Test
  void aSessionWhoseLeaseOthersEndedIsKilled() {
    OneRunner runner = OneRunner.holding();
    long seen = runner.participant().ledger().lease(MINE).orElseThrow().seen();
    runner.read(new LedgerEntry.Expire(MINE, seen));
    assertThat(runner.taken()).containsExactly(new Step.Kill(MINE, Step.Kill.Reason.LEASE_ENDED));

    runner.dead(MINE);
    assertThat(runner.taken()).containsExactly(new Step.Closed(MINE));
  }

  // S1-2
  @Test
  void aWitnessWaitsAFullLeaseSinceItReceivedTheLastRecordAndThenRepeats() {
    OneRunner runner = OneRunner.ready(3);
    runner.read(othersClaim("theirs", "r9", ITEM));
    runner.passAndTick(Duration.ofSeconds(30));
    runner.read(othersRenewal(1, "theirs"));
    long seen = runner.next() - 1;
    runner.passReading(TIMES.lease().minusNanos(1));
    assertThat(runner.appended(LedgerEntry.Expire.class)).isEmpty();
    runner.passAndTick(Duration.ofNanos(1));
    assertThat(runner.appended(LedgerEntry.Expire.class))
        .containsExactly(new LedgerEntry.Expire("theirs", seen));
    runner.passAndTick(TIMES.retry());
    assertThat(runner.appended(LedgerEntry.Expire.class)).hasSize(1);

    runner.read(new LedgerEntry.Expire("theirs", seen));
    runner.passAndTick(TIMES.retry());
    assertThat(runner.appended(LedgerEntry.Expire.class)).isEmpty();
  }

  @Test
  void aWitnessAppendsNothingToALogThatItCannotRead() {
    OneRunner runner = OneRunner.ready(3);
    runner.read(othersClaim("theirs", "r9", ITEM));
    runner.passAndTick(TIMES.lease().multipliedBy(3));
    assertThat(runner.appended(LedgerEntry.Expire.class)).isEmpty();
    assertThat(runner.participant().nextTick()).isGreaterThan(runner.now());

    runner.read(runner.self());
    runner.passAndTick(TIMES.retry().minusNanos(1));
    assertThat(runner.appended(LedgerEntry.Expire.class)).as("a release may arrive").isEmpty();
    runner.passAndTick(Duration.ofNanos(1));
    assertThat(runner.appended(LedgerEntry.Expire.class)).hasSize(1);
  }

  @Test
  void aDeadPredecessorsSessionIsReleasedAndOneThatIsNotOpenIsClosed() {
    OneRunner runner = OneRunner.ready(3);
    runner.read(othersClaim("predecessors", "r9", ITEM));
    runner.dead("predecessors");
    assertThat(runner.appended(LedgerEntry.Release.class)).hasSize(1);

    runner.dead("long gone");
    assertThat(runner.taken()).containsExactly(new Step.Closed("long gone"));
  }

  @Test
  void anotherLedgerKillsOwnSessionsAndStopsClaims() {
    OneRunner runner = OneRunner.holding();
    runner.unusable();

    assertThat(runner.taken())
        .containsExactly(
            new Step.Kill(MINE, Step.Kill.Reason.LEDGER_UNUSABLE),
            new Step.StopClaiming("another topic id"));
    assertThat(runner.participant().stopped()).contains("another topic id");
  }

  @Test
  void rulesThatThisCodeDoesNotKnowKillAndStop() {
    OneRunner runner = OneRunner.holding();
    runner.dead(MINE);
    runner.read(releaseOf(MINE));
    runner.taken();
    runner.read(new LedgerEntry.Rules(2));

    assertThat(runner.taken()).singleElement().isInstanceOf(Step.StopClaiming.class);
    assertThat(runner.participant().stopped().orElseThrow()).contains("upgrade");
  }

  @Test
  void aRecordThatIsNoEntryOnlyMovesTheOffset() {
    OneRunner runner = OneRunner.ready(3);
    String digest = runner.participant().ledger().digest();
    runner.participant().read(Optional.empty(), runner.next(), Instant.EPOCH, runner.now());

    assertThat(runner.participant().ledger().offset()).isEqualTo(runner.next());
    assertThat(runner.participant().ledger().digest()).isEqualTo(digest);
  }

  @Test
  void aReleaseWithoutALedgerIsGivenUp() {
    OneRunner runner = OneRunner.holding();
    runner.unusable();
    runner.dead("mine1");
    runner.taken();

    runner.passAndTick(OneRunner.TIMES.lease().plusSeconds(3));

    assertThat(runner.taken()).contains(new Step.Closed("mine1"));
  }

  @Test
  void afterARenewalWasReadTheNextOneComesAfterTheWholeDistance() {
    OneRunner runner = OneRunner.holding();
    runner.passAndTick(TIMES.renew());
    runner.read(runner.renewal());
    runner.passAndTick(TIMES.renew().minusNanos(1));
    assertThat(runner.appended(LedgerEntry.Renew.class)).isEmpty();

    runner.passAndTick(Duration.ofNanos(1));
    assertThat(runner.appended(LedgerEntry.Renew.class)).hasSize(1);
  }

  @Test
  void aPredecessorsReleaseIsClosedIfTheLedgerWasReadAndShowsNoOpenLease() {
    var runner = new OneRunner(3);
    runner.dead("ended long ago");
    runner.dead("still open");
    runner.read(new LedgerEntry.Init(3, TIMES.lease().toMillis(), List.of()));
    runner.read(othersClaim("still open", "r9", ITEM));
    assertThat(runner.taken()).noneMatch(Step.Closed.class::isInstance);

    runner.caughtUp();

    assertThat(runner.taken())
        .filteredOn(Step.Closed.class::isInstance)
        .containsExactly(new Step.Closed("ended long ago"));
    runner.passAndTick(TIMES.retry());
    assertThat(runner.appended(LedgerEntry.Release.class))
        .extracting(LedgerEntry.Release::session)
        .containsExactly("still open");
  }
}
