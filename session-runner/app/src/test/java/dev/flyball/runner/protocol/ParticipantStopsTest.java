package dev.flyball.runner.protocol;

import static dev.flyball.runner.protocol.OneRunner.CANDIDATE;
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

/** Runners that may not claim: what they still write, and how they find out. */
class ParticipantStopsTest {

  @ParameterizedTest(name = "renewal and margin of {0} s: stops {1}")
  @CsvSource({"44, false", "45, true"})
  void aRunnerWhoseClocksDoNotFitTheLedgersLeaseStops(int seconds, boolean stops) {
    Duration margin = Duration.ofSeconds(20);
    Duration renew = Duration.ofSeconds(seconds).minus(margin);
    LeaseTimes slow = new LeaseTimes(Duration.ofMinutes(2), renew, margin, TIMES.stagger());
    OneRunner joins = new OneRunner(3, slow, List.of());
    joins.startFrom(OneRunner.ready(3).participant().ledger());
    OneRunner reads = new OneRunner(3, slow, List.of());
    reads.read(new LedgerEntry.Init(3, TIMES.lease().toMillis(), List.of()));
    for (OneRunner each : List.of(joins, reads)) {
      assertThat(each.taken(Step.StopClaiming.class))
          .hasSize(stops ? 1 : 0)
          .allSatisfy(stop -> assertThat(stop.reason()).contains("together, PT45S"));
      each.caughtUp();
      each.wants(CANDIDATE);
      assertThat(each.appended(LedgerEntry.class).isEmpty()).isEqualTo(stops);
    }
  }

  @Test
  void aRunnerThatIsOlderThanTheRulesThatItReadsOrJoinsFromStops() {
    OneRunner reads = OneRunner.ready(3);
    reads.read(new LedgerEntry.Rules(LedgerState.RULES + 1));
    OneRunner joins = new OneRunner(3);
    joins.startFrom(reads.participant().ledger());
    for (OneRunner each : List.of(reads, joins)) {
      assertThat(each.taken()).singleElement().isInstanceOf(Step.StopClaiming.class);
      assertThat(each.participant().stopped().orElseThrow()).contains("upgrade");
      each.caughtUp();
      each.wants(CANDIDATE);
      assertThat(each.appended(LedgerEntry.class)).isEmpty();
    }
  }

  @Test
  void aRunnerThatJoinsFromACheckpointFencesByTheLedgersLease() {
    Duration longer = TIMES.lease().multipliedBy(2);
    LeaseTimes own = new LeaseTimes(longer, TIMES.renew(), TIMES.margin(), TIMES.stagger());
    var runner = new OneRunner(3, own, List.of());
    runner.startFrom(OneRunner.ready(3).participant().ledger());
    runner.caughtUp();
    runner.wants(CANDIDATE);
    long sentAt = runner.now();
    runner.read(runner.claim());

    assertThat(runner.taken(Step.Start.class).getFirst().fence().fenceAt())
        .isEqualTo(sentAt + TIMES.lease().minus(TIMES.margin()).toNanos());
  }

  @Test
  void aRunnerWhoseReadingDiffersStartsAndClaimsNothing() {
    OneRunner runner = OneRunner.ready(3);
    runner.wants(CANDIDATE);
    LedgerEntry.Claim claim = runner.claim();
    differing(runner).read(claim);
    assertThat(runner.taken())
        .hasAtLeastOneElementOfType(Step.Unstarted.class)
        .noneMatch(Step.Start.class::isInstance);
    runner.read(releaseOf(claim.session()));
    runner.wants(OneRunner.candidate(2));
    runner.passAndTick(TIMES.heartbeat());

    assertThat(runner.appended(LedgerEntry.class)).isEmpty();
  }

  @Test
  void aRunnerWhoseReadingDiffersWritesOnlyWhatItsOwnSessionsNeed() {
    OneRunner runner = OneRunner.holding();
    runner.read(othersClaim("theirs", 8));
    runner.read(othersClaim("ended", 9));
    runner.read(releaseOf("ended"));
    runner.replacedBy(14);
    for (int i = 0; i < Checkpointing.EVERY; i++) {
      runner.read(othersRenewal(i, "theirs"));
    }
    differing(runner);
    for (int i = 0; i < 30; i++) {
      runner.passAndTick(TIMES.retry());
      runner.read(runner.self());
    }
    assertThat(runner.appended(LedgerEntry.class))
        .isNotEmpty()
        .allMatch(LedgerEntry.Renew.class::isInstance);

    assertThat(
            runner
                .participant()
                .providerLimited("p", now -> now.plusSeconds(60), "limit", runner.now()))
        .isEmpty();
    runner.dead("mine1");
    assertThat(runner.taken()).containsExactly(new Step.Append(releaseOf("mine1")));
  }

  /** After a checkpoint that says something else. */
  private static OneRunner differing(OneRunner runner) {
    long at = runner.participant().ledger().offset();
    runner.read(new LedgerEntry.Checkpoint(at, 1, null, LedgerState.empty().snapshot()));
    assertThat(runner.participant().stopped().orElseThrow())
        .startsWith("the checkpoint at ledger offset " + (at + 1));
    assertThat(runner.taken())
        .hasAtLeastOneElementOfType(Step.StopClaiming.class)
        .noneMatch(Step.Kill.class::isInstance);
    return runner;
  }
}
