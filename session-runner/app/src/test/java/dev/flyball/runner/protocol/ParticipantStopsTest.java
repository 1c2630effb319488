package dev.flyball.runner.protocol;

import static dev.flyball.runner.protocol.OneRunner.CANDIDATE;
import static dev.flyball.runner.protocol.OneRunner.ITEM;
import static dev.flyball.runner.protocol.OneRunner.TIMES;
import static dev.flyball.runner.protocol.OneRunner.othersClaim;
import static dev.flyball.runner.protocol.OneRunner.othersRenewal;
import static dev.flyball.runner.protocol.OneRunner.releaseOf;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Runners that may not claim: what they still write, and how they find out. */
class ParticipantStopsTest {
  private static final ItemKey OTHER = ItemKey.parse("acme/web/2");

  /** Valid by itself, and too slow for a ledger whose lease is 45 s. */
  private static final LeaseTimes SLOW =
      LeaseTimes.of(
          Duration.ofSeconds(120),
          Duration.ofSeconds(40),
          Duration.ofSeconds(30),
          LeaseTimes.DEFAULTS.stagger());

  @Test
  void clocksThatDoNotFitTheLedgersLeaseStopARunnerThatJoinsFromACheckpoint() {
    var runner = new OneRunner(3, SLOW);
    runner.startFrom(OneRunner.ready(3).participant().ledger());
    runner.caughtUp();
    runner.wants(CANDIDATE);

    assertThat(runner.participant().stopped()).isPresent();
    assertThat(runner.allAppended()).isEmpty();
  }

  @Test
  void clocksThatDoNotFitTheLedgersLeaseStopARunnerThatReadsItsStart() {
    var runner = new OneRunner(3, SLOW);
    runner.read(new LedgerEntry.Init(3, TIMES.lease().toMillis(), List.of()));
    runner.caughtUp();
    runner.wants(CANDIDATE);

    assertThat(runner.participant().stopped()).isPresent();
    assertThat(runner.allAppended()).isEmpty();
  }

  @Test
  void aRunnerThatJoinsFromACheckpointFencesByTheLedgersLease() {
    var runner =
        new OneRunner(
            3,
            LeaseTimes.of(
                Duration.ofSeconds(90), Duration.ofSeconds(10), TIMES.margin(), TIMES.stagger()));
    runner.startFrom(OneRunner.ready(3).participant().ledger());
    runner.caughtUp();
    runner.wants(CANDIDATE);
    long sentAt = runner.now();
    runner.read(runner.claim());

    assertThat(runner.fence("mine1").fenceAt())
        .isEqualTo(sentAt + TIMES.lease().minus(TIMES.margin()).toNanos());
  }

  @Test
  void aCheckpointOfNewerRulesStopsARunnerThatJoins() {
    OneRunner before = OneRunner.ready(3);
    before.read(new LedgerEntry.Rules(LedgerState.RULES + 1));
    var runner = new OneRunner(3);
    runner.startFrom(before.participant().ledger());
    runner.caughtUp();
    runner.wants(CANDIDATE);

    assertThat(runner.participant().stopped()).isPresent();
    assertThat(runner.allAppended()).isEmpty();
  }

  @Test
  void aRunnerWhoseReadingDiffersClaimsNothing() {
    OneRunner runner = differing(OneRunner.ready(3));
    runner.wants(CANDIDATE);
    runner.passAndTick(TIMES.heartbeat());

    assertThat(runner.allAppended()).isEmpty();
  }

  @Test
  void aRunnerWhoseReadingDiffersStartsNoSessionOfAClaimThatWasOnItsWay() {
    OneRunner runner = OneRunner.ready(3);
    runner.wants(CANDIDATE);
    LedgerEntry.Claim claim = runner.claim();
    differing(runner).read(claim);

    List<Step> steps = runner.taken();
    assertThat(steps).noneMatch(Step.Start.class::isInstance);
    assertThat(steps).anyMatch(Step.Unstarted.class::isInstance);
  }

  @Test
  void aRunnerWhoseReadingDiffersWritesOnlyWhatItsOwnSessionsNeed() {
    OneRunner runner = OneRunner.holding();
    runner.read(othersClaim("theirs", "r8", OTHER));
    runner.read(othersClaim("ended", "r9", ItemKey.parse("acme/web/3")));
    runner.read(releaseOf("ended"));
    runner.replacedBy(14);
    for (int i = 0; i < Checkpointing.EVERY; i++) {
      runner.read(othersRenewal(i, "theirs"));
    }
    differing(runner);
    for (int i = 0; i < 30; i++) {
      runner.passAndTick(TIMES.retry());
    }
    assertThat(runner.allAppended()).isNotEmpty().allMatch(LedgerEntry.Renew.class::isInstance);

    runner.participant().providerLimited("p", now -> now.plusSeconds(60), "limit", runner.now());
    runner.dead("mine1");
    assertThat(runner.allAppended()).singleElement().isInstanceOf(LedgerEntry.Release.class);
  }

  @Test
  void onAnotherLedgerNoLeaseOfOthersIsExpired() {
    OneRunner runner = OneRunner.ready(3);
    runner.read(othersClaim("theirs", "r9", ITEM));
    runner.unusable();
    runner.passAndTick(TIMES.lease().multipliedBy(2));

    assertThat(runner.allAppended()).isEmpty();
  }

  /** After a checkpoint that says something else. */
  private static OneRunner differing(OneRunner runner) {
    long at = runner.participant().ledger().offset();
    runner.read(new LedgerEntry.Checkpoint(at, 1, null, LedgerState.empty().snapshot()));
    assertThat(runner.participant().stopped()).isPresent();
    runner.taken();
    return runner;
  }
}
