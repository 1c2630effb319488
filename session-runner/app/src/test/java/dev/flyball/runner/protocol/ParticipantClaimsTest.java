package dev.flyball.runner.protocol;

import static dev.flyball.runner.protocol.OneRunner.CANDIDATE;
import static dev.flyball.runner.protocol.OneRunner.TIMES;
import static dev.flyball.runner.protocol.OneRunner.candidate;
import static dev.flyball.runner.protocol.OneRunner.othersClaim;
import static dev.flyball.runner.protocol.OneRunner.releaseOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How a runner claims, and how far apart it starts its sessions. */
class ParticipantClaimsTest {
  private static final Duration INSTANT = Duration.ofNanos(1);

  private final OneRunner runner = OneRunner.ready(3);

  @Test
  void theFirstRunnerSeedsTheLedgerAndRepeatsUntilItSeesIt() {
    var first = new OneRunner(3);
    assertThat(first.ledgerNow()).isEqualTo(Instant.EPOCH);
    first.caughtUp();
    first.one(LedgerEntry.Init.class);
    assertThat(first.until(LedgerEntry.Init.class)).isEqualTo(TIMES.retry());

    first.read(first.one(LedgerEntry.Init.class));
    first.passAndTick(TIMES.retry());
    assertThat(first.taken()).isEmpty();
  }

  @Test
  void aLedgerSeededOtherwiseIsAWarning() {
    var second = new OneRunner(3);
    second.caughtUp();
    second.read(new LedgerEntry.Init(9, 45_000, List.of()));

    assertThat(second.taken(Step.Warn.class)).hasSize(1);
    assertThat(second.participant().stopped()).isEmpty();
  }

  @Test
  void nothingIsClaimedBeforeTheLedgerIsRead() {
    var reader = new OneRunner(3);
    reader.read(new LedgerEntry.Init(3, 45_000, List.of()));
    reader.wants(CANDIDATE);

    assertThat(reader.taken()).isEmpty();
  }

  @Test
  void aClaimThatTakesEffectInTimeStartsItsSessionFencedFromBeforeItsSend() {
    runner.wants(CANDIDATE);
    long sentAt = runner.now();
    LedgerEntry.Claim claim = runner.claim();
    runner.pass(TIMES.late());
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
  void oneClaimIsPendingAtMostUntilItIsReadWhateverOthersLose() {
    runner.wants(CANDIDATE);
    runner.read(othersClaim("theirs", 9));
    runner.read(othersClaim("lost", 9));
    runner.wants(candidate(2));

    assertThat(runner.appended(LedgerEntry.Claim.class)).hasSize(1);
  }

  @ParameterizedTest(name = "joined from a checkpoint: {0}")
  @ValueSource(booleans = {false, true})
  @DisplayName("two runners: of each request one claims immediately, the other a turn later")
  void amongOthersAClaimWaitsForItsTurn(boolean joined) {
    int immediately = 0;
    for (int n = 0; n < 100; n++) {
      OneRunner one = joined ? joined(ofTwo(3)) : ofTwo(3);
      one.wants(candidate(n));
      boolean first = !one.appended(LedgerEntry.Claim.class).isEmpty();
      immediately += first ? 1 : 0;
      assertThat(first || one.until(LedgerEntry.Claim.class).equals(TIMES.herd())).isTrue();
    }
    assertThat(immediately).isBetween(30, 70);
  }

  @Test
  void whileNoPermitIsFreeNoTurnPasses() {
    int n = 0;
    OneRunner second;
    do {
      second = ofTwo(1);
      second.wants(candidate(n++));
    } while (!second.appended(LedgerEntry.Claim.class).isEmpty());
    second.read(othersClaim("theirs", 900));
    second.passAndTick(TIMES.herd());
    assertThat(second.appended(LedgerEntry.Claim.class)).isEmpty();
    second.read(releaseOf("theirs"));

    assertThat(second.until(LedgerEntry.Claim.class)).isEqualTo(TIMES.herd());
  }

  private static OneRunner ofTwo(int cap) {
    OneRunner one = OneRunner.ready(cap);
    one.read(one.self());
    one.read(OneRunner.runner("other"));
    return one;
  }

  private static OneRunner joined(OneRunner ledger) {
    var one = new OneRunner(3);
    one.startFrom(ledger.participant().ledger());
    one.caughtUp();
    return one;
  }

  @Test
  void amongRunnersWithoutAFreeSlotAClaimWaitsForNothing() {
    OneRunner free = OneRunner.ready(200);
    for (int n = 0; n < 100; n++) {
      free.read(new LedgerEntry.Runner("full" + n, 1, "A", 1, null, null, null, null));
      free.read(othersClaim("theirs" + n, 100 + n, "full" + n, null));
      free.read(new LedgerEntry.Runner("closed" + n, 1, "A", 4, "load", null, null, null));
    }
    free.wants(CANDIDATE);

    assertThat(free.appended(LedgerEntry.Claim.class)).hasSize(1);
  }

  @Test
  void aClaimThatTakesEffectLateIsReleasedUnstartedAndTheRunnerCoolsDown() {
    runner.wants(CANDIDATE);
    LedgerEntry.Claim claim = runner.claim();
    runner.pass(TIMES.late().plus(INSTANT));
    runner.read(claim);

    List<Step> steps = runner.taken();
    assertThat(steps).hasSize(2).hasAtLeastOneElementOfType(Step.Unstarted.class);
    var release = (LedgerEntry.Release) ((Step.Append) steps.getLast()).entry();
    assertThat(release.outcome()).isEqualTo(Outcome.INTERRUPTED);
    runner.read(release);
    runner.wants(candidate(2));
    assertThat(runner.appended(LedgerEntry.Claim.class)).isEmpty();
    assertThat(runner.until(LedgerEntry.Claim.class)).isEqualTo(TIMES.coolDown());
  }

  @Test
  void aClaimGivenUpAfterItsTimeoutIsStillOursWhenItTakesEffectAndDoesNotStopTheNext() {
    runner.wants(CANDIDATE);
    LedgerEntry.Claim first = runner.claim();
    runner.wants(candidate(2));
    assertThat(runner.until(LedgerEntry.Claim.class)).isEqualTo(TIMES.late().plus(INSTANT));
    LedgerEntry.Claim second = runner.claim();
    assertThat(second.session()).isNotEqualTo(first.session());

    runner.pass(Duration.ofSeconds(2));
    runner.read(first);
    assertThat(runner.one(LedgerEntry.Release.class).session()).isEqualTo(first.session());
    runner.read(second);
    assertThat(runner.taken(Step.Start.class)).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({"0, 1", "1, 0"})
  void aClaimIsOursUntilTooManyOthersWereGivenUpSince(int tooMany, int releases) {
    runner.wants(CANDIDATE);
    LedgerEntry.Claim first = runner.claim();
    for (int i = 1; i < Claims.REMEMBERED + tooMany; i++) {
      runner.passAndTick(TIMES.late().plus(INSTANT));
      runner.claim();
    }
    runner.read(first);

    assertThat(runner.appended(LedgerEntry.Release.class)).hasSize(releases);
  }

  @Test
  void aDuplicateOfAClaimThatHadNoEffectIsNotStarted() {
    OneRunner full = OneRunner.ready(1);
    full.wants(CANDIDATE);
    LedgerEntry.Claim claim = full.claim();
    full.read(othersClaim("theirs", 9));
    full.read(claim);
    full.read(releaseOf("theirs"));
    full.read(claim);

    assertThat(full.taken())
        .hasAtLeastOneElementOfType(Step.Unstarted.class)
        .noneMatch(Step.Start.class::isInstance);
  }

  @Test
  void aClaimThatIsNoLongerWantedIsReleasedAsCancelled() {
    runner.wants(CANDIDATE);
    LedgerEntry.Claim claim = runner.claim();
    runner.wantsNoMore();
    runner.read(claim);

    assertThat(runner.one(LedgerEntry.Release.class).outcome()).isEqualTo(Outcome.CANCELLED);
  }

  @Test
  void aDrainingRunnerStartsAndClaimsNothing() {
    runner.wants(CANDIDATE);
    LedgerEntry.Claim claim = runner.claim();
    runner.participant().drain();
    runner.read(claim);
    assertThat(runner.one(LedgerEntry.Release.class).outcome()).isEqualTo(Outcome.INTERRUPTED);
    runner.read(releaseOf(claim.session()));
    runner.wants(candidate(2));
    runner.passAndTick(Duration.ofMinutes(1));

    assertThat(runner.appended(LedgerEntry.Claim.class)).isEmpty();
  }

  @Test
  void ofSeveralFreeSlotsEachIsFilledAfterItsDistanceAndNoLater() {
    runner.started(1);
    for (int next = 2; next <= 3; next++) {
      runner.wants(candidate(next));
      assertThat(runner.appended(LedgerEntry.Claim.class)).isEmpty();
      assertThat(runner.until(LedgerEntry.Claim.class)).isEqualTo(TIMES.stagger());
      runner.read(runner.claim());
    }
  }

  @ParameterizedTest(name = "cap {0}, {1} sessions")
  @CsvSource({"2, 2", "10, 4"})
  void aSlotThatWasTheLastOneIsFilledAgainImmediately(int cap, int sessions) {
    OneRunner full = OneRunner.ready(cap);
    for (int number = 1; number <= sessions; number++) {
      full.pass(TIMES.stagger());
      full.started(number);
    }
    full.read(releaseOf("mine1"));
    full.wants(candidate(9));

    assertThat(full.appended(LedgerEntry.Claim.class)).hasSize(1);
  }

  @Test
  void onlyASessionThatHasEndedAlreadyHoldsNothingUp() {
    String first = runner.started(1);
    runner.read(othersClaim("theirs", 9));
    runner.read(releaseOf("theirs"));
    runner.wants(candidate(2));
    assertThat(runner.appended(LedgerEntry.Claim.class)).isEmpty();
    runner.read(releaseOf(first));

    assertThat(runner.until(LedgerEntry.Claim.class)).isZero();
  }
}
