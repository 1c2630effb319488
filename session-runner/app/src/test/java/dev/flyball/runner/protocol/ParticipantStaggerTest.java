package dev.flyball.runner.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.topic.Position;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A runner that fills several free slots starts its sessions apart")
class ParticipantStaggerTest {
  private static final Duration GAP = OneRunner.TIMES.stagger();

  @Test
  void theNextStartsComeAfterTheirDistanceEachAndNoLater() {
    OneRunner runner = OneRunner.ready(3);
    started(runner, 1);
    for (int next = 2; next <= 3; next++) {
      runner.wants(candidate(next));
      assertThat(claims(runner)).isEmpty();
      assertThat(runner.participant().nextTick()).isLessThanOrEqualTo(runner.now() + GAP.toNanos());
      runner.passAndTick(GAP.minusNanos(1));
      assertThat(claims(runner)).isEmpty();
      runner.passAndTick(Duration.ofNanos(1));
      List<LedgerEntry.Claim> claims = claims(runner);
      assertThat(claims).hasSize(1);
      runner.read(claims.getFirst());
      runner.taken();
    }
  }

  @Test
  void aSlotThatWasTheLastOneIsFilledAgainAtOnce() {
    OneRunner runner = OneRunner.ready(2);
    String first = started(runner, 1);
    runner.pass(GAP);
    started(runner, 2);
    runner.read(OneRunner.releaseOf(first));
    runner.wants(candidate(3));

    assertThat(claims(runner)).hasSize(1);
  }

  @Test
  void aSessionThatHasEndedAlreadyHoldsNothingUp() {
    OneRunner runner = OneRunner.ready(3);
    String first = started(runner, 1);
    runner.wants(candidate(2));
    assertThat(claims(runner)).isEmpty();
    runner.read(OneRunner.releaseOf(first));
    runner.passAndTick(Duration.ofNanos(1));

    assertThat(claims(runner)).hasSize(1);
  }

  private static String started(OneRunner runner, int number) {
    runner.wants(candidate(number));
    LedgerEntry.Claim claim = claims(runner).getFirst();
    runner.wants(null);
    runner.read(claim);
    assertThat(runner.taken()).anyMatch(Step.Start.class::isInstance);
    return claim.session();
  }

  private static List<LedgerEntry.Claim> claims(OneRunner runner) {
    return runner.appended(LedgerEntry.Claim.class);
  }

  private static LedgerEntry.Claim candidate(int number) {
    return OneRunner.claimOf(
        "r" + number, new Position(0, 10), ItemKey.parse("acme/web/" + number), null);
  }
}
