package dev.flyball.runner.protocol;

import static dev.flyball.runner.protocol.OneRunner.TIMES;
import static dev.flyball.runner.protocol.OneRunner.othersClaim;
import static dev.flyball.runner.protocol.OneRunner.othersRenewal;
import static dev.flyball.runner.protocol.OneRunner.releaseOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Renewals, fences, releases and witnessing. */
class ParticipantLeasesTest {
  private static final String MINE = "mine1";
  private static final Duration INSTANT = Duration.ofNanos(1);

  /** Its session began now. */
  private final OneRunner runner = OneRunner.holding();

  // S1-1, T15
  @Test
  void aSessionIsRenewedEveryTenSecondsAndSoonerWithItsOwnNWhileThatIsNotRead() {
    assertThat(runner.until(LedgerEntry.Renew.class)).isEqualTo(TIMES.renew());
    LedgerEntry.Renew first = runner.renewal();
    assertThat(first.sessions()).containsExactly(new LedgerEntry.Usage(MINE, 7, 70));
    runner.read(first);
    assertThat(runner.until(LedgerEntry.Renew.class)).as("read").isEqualTo(TIMES.renew());
    assertThat(runner.renewal().n()).isEqualTo(first.n() + 1);
    assertThat(runner.until(LedgerEntry.Renew.class)).as("lost").isEqualTo(TIMES.retry());
    assertThat(runner.renewal().n()).isEqualTo(first.n() + 2);
  }

  @Test
  void onlyTheNewestRenewalOfThisProcessEndsItsRepetition() {
    runner.passAndTick(TIMES.renew());
    LedgerEntry.Renew older = runner.renewal();
    runner.passAndTick(TIMES.retry());
    long n = runner.renewal().n();
    runner.read(older);
    runner.read(othersRenewal(n, "theirs"));

    assertThat(runner.until(LedgerEntry.Renew.class)).isEqualTo(TIMES.retry());
  }

  @Test
  void aRenewalThatWasReadMovesTheFenceToItsSendAndADuplicateOrALateOlderOneDoesNot() {
    runner.passAndTick(TIMES.renew());
    LedgerEntry.Renew older = runner.renewal();
    runner.passAndTick(TIMES.retry());
    LedgerEntry.Renew newer = runner.renewal();
    long sentAt = runner.now();
    runner.pass(Duration.ofSeconds(3));
    runner.read(newer);
    Duration runs = TIMES.lease().minus(TIMES.margin());
    long fenceAt = sentAt + runs.toNanos();
    assertThat(runner.taken())
        .containsExactly(
            new Step.Extend(
                MINE, new Fence(sentAt, fenceAt, fenceAt + TIMES.margin().toNanos() / 2)));

    runner.read(newer);
    runner.read(older);
    runner.read(othersRenewal(99, MINE));
    assertThat(runner.taken()).isEmpty();
  }

  @Test
  void oneRenewalNamesAllLivingSessionsAndAnotherStartDoesNotDelayIt() {
    runner.pass(Duration.ofSeconds(4));
    String second = runner.started(2);
    assertThat(runner.until(LedgerEntry.Renew.class)).isEqualTo(TIMES.renew().minusSeconds(4));
    assertThat(runner.renewal().sessions())
        .extracting(LedgerEntry.Usage::session)
        .containsExactly(MINE, second);
    runner.dead(MINE);
    runner.passAndTick(TIMES.retry());
    assertThat(runner.renewal().sessions())
        .extracting(LedgerEntry.Usage::session)
        .containsExactly(second);
  }

  // S1-6, S1-10
  @Test
  void atItsFenceASessionIsKilledEvenIfARenewalTakesEffectThenAndRenewedOnUntilDead() {
    runner.passAndTick(Duration.ofSeconds(35).minus(INSTANT));
    LedgerEntry.Renew renewal = runner.renewal();
    assertThat(runner.participant().nextTick()).isEqualTo(runner.now() + 1);
    runner.pass(INSTANT);
    runner.read(renewal);
    assertThat(runner.taken()).containsExactly(new Step.Kill(MINE, Step.Kill.Reason.FENCED));
    runner.read(renewal);
    assertThat(runner.taken()).isEmpty();

    assertThat(runner.until(LedgerEntry.Renew.class)).isEqualTo(TIMES.renew().minus(INSTANT));
    runner.dead(MINE);
    assertThat(runner.taken()).contains(new Step.Append(releaseOf(MINE)));
    runner.passAndTick(TIMES.renew());
    assertThat(runner.appended(LedgerEntry.Renew.class)).isEmpty();
  }

  @Test
  void aReleaseIsRepeatedUntilTheLedgerShowsTheEnd() {
    runner.dead(MINE);
    assertThat(runner.taken()).containsExactly(new Step.Append(releaseOf(MINE)));
    assertThat(runner.until(LedgerEntry.Release.class)).isEqualTo(TIMES.retry());
    runner.taken();
    runner.passAndTick(TIMES.lease().plusSeconds(1));
    assertThat(runner.taken()).containsExactly(new Step.Append(releaseOf(MINE)));

    runner.read(releaseOf(MINE));
    assertThat(runner.taken()).containsExactly(new Step.Closed(MINE));
    runner.passAndTick(TIMES.retry());
    assertThat(runner.taken()).isEmpty();
  }

  @Test
  void aSessionWhoseLeaseOthersEndedIsKilledOnceAndHasNothingToRelease() {
    long seen = runner.participant().ledger().lease(MINE).orElseThrow().seen();
    runner.read(new LedgerEntry.Expire(MINE, seen));
    assertThat(runner.taken()).containsExactly(new Step.Kill(MINE, Step.Kill.Reason.LEASE_ENDED));
    runner.unusable();
    assertThat(runner.taken()).containsExactly(new Step.StopClaiming("another topic id"));
    runner.dead(MINE);
    assertThat(runner.taken()).containsExactly(new Step.Closed(MINE));
  }

  // S1-2
  @Test
  void aWitnessWaitsAFullLeaseSinceItReceivedTheLastRecordAndThenRepeats() {
    OneRunner witness = OneRunner.ready(3);
    witness.read(othersClaim("theirs", 9));
    witness.passAndTick(Duration.ofSeconds(30));
    witness.read(othersRenewal(1, "theirs"));
    var expiry = new LedgerEntry.Expire("theirs", witness.next() - 1);
    assertThat(witness.until(LedgerEntry.Expire.class)).isEqualTo(TIMES.lease());
    assertThat(witness.one(LedgerEntry.Expire.class)).isEqualTo(expiry);
    assertThat(witness.until(LedgerEntry.Expire.class)).isEqualTo(TIMES.retry());

    witness.read(witness.one(LedgerEntry.Expire.class));
    witness.passAndTick(TIMES.retry());
    assertThat(witness.appended(LedgerEntry.Expire.class)).isEmpty();
  }

  @ParameterizedTest(name = "{0} live: {1} to {2} of 20 leases immediately")
  @CsvSource({"another, 5, 15", "other, 20, 20"})
  void ofTwoWitnessesOneExpiresALeaseAndTheOtherATurnLaterAndTheHolderIsNone(
      String live, int least, int most) {
    OneRunner witness = OneRunner.ready(20);
    witness.read(witness.self());
    witness.read(OneRunner.runner(live));
    for (int i = 0; i < 20; i++) {
      witness.read(othersClaim("s" + i, i));
    }
    assertThat(witness.until(LedgerEntry.Expire.class)).isEqualTo(TIMES.lease());
    int immediately = witness.appended(LedgerEntry.Expire.class).size();
    assertThat(immediately).isBetween(least, most);
    witness.passAndTick(TIMES.herd().minus(INSTANT));
    assertThat(witness.appended(LedgerEntry.Expire.class)).isEmpty();
    witness.passAndTick(INSTANT);
    assertThat(witness.appended(LedgerEntry.Expire.class)).hasSize(20 - immediately);
  }

  @ParameterizedTest
  @CsvSource({"0, 1", "1, 0"})
  void aWitnessThatReadNothingForLongerThanAHeartbeatAndARetryIsBlind(int longer, int expiries) {
    OneRunner witness = OneRunner.ready(3);
    Duration silence = TIMES.heartbeat().plus(TIMES.retry()).plusNanos(longer);
    witness.read(othersClaim("theirs", 9));
    witness.pass(TIMES.lease().minus(silence));
    witness.read(witness.self());
    witness.passAndTick(silence);

    assertThat(witness.appended(LedgerEntry.Expire.class)).hasSize(expiries);
  }

  @Test
  void aWitnessThatCanReadTheLogAgainLeavesAMomentForReleases() {
    OneRunner witness = OneRunner.ready(3);
    witness.read(othersClaim("theirs", 9));
    witness.passAndTick(TIMES.lease().multipliedBy(3));
    assertThat(witness.appended(LedgerEntry.Expire.class)).as("blind").isEmpty();
    witness.pass(Duration.ofSeconds(1));
    witness.read(witness.self());

    assertThat(witness.until(LedgerEntry.Expire.class)).isEqualTo(TIMES.retry());
  }

  @Test
  void aDeadPredecessorsSessionIsReleasedAndOneThatIsNotOpenIsClosed() {
    runner.read(othersClaim("predecessors", 9));
    runner.dead("predecessors");
    assertThat(runner.taken()).containsExactly(new Step.Append(releaseOf("predecessors")));

    runner.dead("long gone");
    assertThat(runner.taken()).containsExactly(new Step.Closed("long gone"));
  }

  @Test
  void aPredecessorsReleaseIsClosedIfTheLedgerWasReadAndShowsNoOpenLease() {
    var successor = new OneRunner(3);
    successor.dead("ended long ago");
    successor.dead("still open");
    successor.read(new LedgerEntry.Init(3, TIMES.lease().toMillis(), List.of()));
    successor.read(othersClaim("still open", 9));
    successor.passAndTick(TIMES.retry());
    assertThat(successor.taken()).hasOnlyElementsOfType(Step.Append.class);
    successor.caughtUp();

    assertThat(successor.taken()).containsExactly(new Step.Closed("ended long ago"));
    successor.passAndTick(TIMES.retry());
    assertThat(successor.taken()).containsExactly(new Step.Append(releaseOf("still open")));
  }

  @Test
  void anotherLedgerKillsOwnSessionsStopsClaimsAndIsNotFolded() {
    LedgerState before = runner.participant().ledger();
    runner.unusable();
    assertThat(runner.taken())
        .containsExactly(
            new Step.Kill(MINE, Step.Kill.Reason.LEDGER_UNUSABLE),
            new Step.StopClaiming("another topic id"));
    assertThat(runner.participant().stopped()).contains("another topic id");

    runner.unusable();
    runner.read(releaseOf(MINE));
    runner.readNoEntry();
    assertThat(runner.taken()).isEmpty();
    assertThat(runner.participant().ledger()).isSameAs(before);
  }

  @Test
  void aRecordThatIsNoEntryOnlyMovesTheOffset() {
    LedgerState before = runner.participant().ledger();
    runner.readNoEntry();
    assertThat(runner.participant().ledger().offset()).isEqualTo(before.offset() + 1);
    assertThat(runner.participant().ledger().digest()).isEqualTo(before.digest());
  }

  @Test
  void aReleaseWithoutALedgerIsGivenUpAfterALease() {
    runner.unusable();
    runner.dead("unknown");
    assertThat(runner.taken()).contains(new Step.Append(releaseOf("unknown")));
    runner.passAndTick(TIMES.lease());
    assertThat(runner.taken()).contains(new Step.Append(releaseOf("unknown")));
    runner.passAndTick(TIMES.retry());
    assertThat(runner.taken(Step.Closed.class)).containsExactly(new Step.Closed("unknown"));
  }
}
