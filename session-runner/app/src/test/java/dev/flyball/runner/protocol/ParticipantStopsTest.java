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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

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

  static List<Arguments> unfit() {
    OneRunner newer = OneRunner.ready(3);
    newer.read(new LedgerEntry.Rules(LedgerState.RULES + 1));
    OneRunner joined = new OneRunner(3, SLOW);
    joined.startFrom(OneRunner.ready(3).participant().ledger());
    OneRunner reads = new OneRunner(3, SLOW);
    reads.read(new LedgerEntry.Init(3, TIMES.lease().toMillis(), List.of()));
    OneRunner older = new OneRunner(3);
    older.startFrom(newer.participant().ledger());
    return List.of(
        Arguments.of("too slow for the lease in the checkpoint that it joins from", joined),
        Arguments.of("too slow for the lease that the ledger starts with", reads),
        Arguments.of("older than the rules of the checkpoint that it joins from", older));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("unfit")
  void aRunnerThatDoesNotFitItsLedgerStops(String why, OneRunner runner) {
    runner.caughtUp();
    runner.wants(CANDIDATE);

    assertThat(runner.participant().stopped()).as(why).isPresent();
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
    assertThat(runner.taken())
        .hasAtLeastOneElementOfType(Step.StopClaiming.class)
        .noneMatch(Step.Kill.class::isInstance);
    return runner;
  }
}
