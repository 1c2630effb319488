package dev.flyball.runner.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.session.Timings;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@DisplayName("What one runner has to do is done about once, however many runners live")
class WitnessesAtScaleTest {
  private static final int RUNNERS = 50;
  private static final int LEASES = 500;

  @Test
  void afterALongOutageEachLeaseIsExpiredAboutOnce() {
    var pool = new ManyRunners(RUNNERS, 2 * LEASES);
    leases(pool, RUNNERS);
    pool.pass(Duration.ofSeconds(40));
    leasesAgain(pool);
    pool.pass(Duration.ofSeconds(5));
    pool.down(true);
    pool.pass(Duration.ofMinutes(3));
    pool.down(false);
    pool.passUntil(Duration.ofSeconds(60), state -> state.live() == 0);

    assertThat(pool.state().live()).isZero();
    assertThat(pool.count(LedgerEntry.Expire.class)).isBetween(LEASES, LEASES * 12 / 10);
  }

  @Tag("long")
  @Test
  @DisplayName("if most runners die together, the others expire all leases after a few turns")
  void theTimeToExpireIsBounded() {
    var pool = new ManyRunners(RUNNERS, 2 * LEASES);
    leases(pool, RUNNERS);
    pool.pass(Duration.ofMillis(100));
    pool.kill(6);
    pool.pass(LeaseTimes.DEFAULTS.lease());
    Duration took = pool.passUntil(Duration.ofSeconds(60), state -> state.live() == 0);

    assertThat(took).isLessThan(Duration.ofSeconds(6));
    assertThat(pool.count(LedgerEntry.Expire.class)).isBetween(LEASES, LEASES * 2);
  }

  @Test
  void afterAnOutageEachReplacedRequestIsSettledAboutOnce() {
    var pool = new ManyRunners(RUNNERS, 2 * LEASES);
    for (int n = 0; n < LEASES; n++) {
      pool.leaseOf("dead", n);
      pool.append(
          new LedgerEntry.Release(
              "old-session-" + n,
              Outcome.COMPLETED,
              null,
              null,
              0,
              null,
              Timings.ZERO,
              0,
              0,
              Receipt.notStarted()));
    }
    pool.pass(Duration.ofSeconds(40));
    pool.down(true);
    pool.pass(Duration.ofMinutes(3));
    pool.down(false);
    pool.replaceSpent();
    pool.passUntil(Duration.ofSeconds(60), state -> state.unsettled() == 0);

    assertThat(pool.state().unsettled()).isZero();
    assertThat(pool.count(LedgerEntry.Settled.class)).isBetween(LEASES, LEASES * 12 / 10);
  }

  private static void leases(ManyRunners pool, int holders) {
    for (int n = 0; n < LEASES; n++) {
      pool.leaseOf("runner-" + n % holders, n);
    }
  }

  private static void leasesAgain(ManyRunners pool) {
    String[] all =
        IntStream.range(0, LEASES).mapToObj(n -> "old-session-" + n).toArray(String[]::new);
    pool.append(OneRunner.othersRenewal(1, all));
  }
}
