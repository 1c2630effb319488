package dev.flyball.runner.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A claim waits as long among many runners as among five")
class ClaimsAtScaleTest {
  @ParameterizedTest
  @ValueSource(ints = {5, 100})
  void manyRequestsAtTheSameTime(int runners) {
    allTogether(runners, 200);
  }

  @Test
  @DisplayName("a single permit: the first in order gets it, and no claim is void")
  void oneFreePermitIsClaimedOnce() {
    var pool = new ManyRunners(50, 1);
    settled(pool);
    for (int n = 0; n < 40; n++) {
      pool.request(n);
    }
    pool.requestsRead();
    pool.pass(Duration.ofSeconds(5));

    assertThat(pool.state().live()).isEqualTo(1);
    assertThat(pool.state().leases().iterator().next().request()).isEqualTo("request-0");
    assertThat(pool.voidClaims()).isZero();
  }

  @Test
  @DisplayName("requests of dead runners' turns wait for a few turns more")
  void deadRunnersDelayClaimsByAFewTurns() {
    var pool = new ManyRunners(100, 1_000);
    settled(pool);
    pool.kill(10);
    for (int n = 0; n < 30; n++) {
      pool.request(n);
    }
    pool.requestsRead();
    // Each of ten runners starts three. Usually the first living one has the fourth or fifth turn.
    Duration took = pool.passUntil(Duration.ofSeconds(60), state -> state.live() == 30);

    assertThat(took).isLessThan(Duration.ofSeconds(4));
  }

  @Test
  void onASlowLedgerOneClaimsToo() {
    var pool = new ManyRunners(100, 100);
    pool.slower(Duration.ofMillis(500));
    settled(pool);
    for (int n = 0; n < 20; n++) {
      int live = n + 1;
      pool.request(n);
      pool.requestsRead();
      pool.passUntil(Duration.ofMinutes(1), state -> state.live() == live);
      pool.pass(Duration.ofSeconds(1));
      assertThat(pool.claimsOf(n)).isLessThanOrEqualTo(2);
    }
    assertThat(pool.voidClaims()).isLessThanOrEqualTo(2);
  }

  private static void allTogether(int runners, int requests) {
    var pool = new ManyRunners(runners, requests);
    settled(pool);
    int count = Math.min(requests, runners * ManyRunners.SLOTS);
    for (int n = 0; n < count; n++) {
      pool.request(n);
    }
    pool.requestsRead();
    Duration took = pool.passUntil(Duration.ofSeconds(60), state -> state.live() == count);

    assertThat(pool.voidClaims()).isLessThanOrEqualTo(count / 2);
    assertThat(took).isLessThan(Duration.ofMillis(1_500));
  }

  /** Passes the time in which all runners begin. */
  private static void settled(ManyRunners pool) {
    pool.pass(LeaseTimes.DEFAULTS.heartbeat().plusSeconds(1));
  }
}
