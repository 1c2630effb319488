package dev.flyball.runner.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code -Dscale.runners=1000} for more; the time grows with their square. */
@DisplayName("Runners claim a request about once, however long the ledger takes for an entry")
class SlowLedgerTest {
  private static final int MANY = Integer.getInteger("scale.runners", 300);
  private static final Duration HALF_A_SECOND = Duration.ofMillis(500);
  private static final Duration ROUND_TRIP = HALF_A_SECOND.plusMillis(20);
  private static final Duration HEARTBEAT = LeaseTimes.DEFAULTS.heartbeat();

  @Test
  void ofAHundredRunnersOneClaims() {
    var pool = new ManyRunners(100, 100);
    pool.slower(HALF_A_SECOND);
    settled(pool);
    for (int n = 0; n < 20; n++) {
      assertThat(claimed(pool, n)).isLessThan(ROUND_TRIP.plusMillis(20));
      assertThat(pool.claimsOf(n)).isLessThanOrEqualTo(2);
    }
    assertThat(pool.voidClaims()).isLessThanOrEqualTo(2);
  }

  @Test
  void whenTheLedgerBecomesSlowAHundredRunnersNoticeIt() {
    suddenlySlow(100);
  }

  @Test
  @Tag("long")
  void whenTheLedgerBecomesSlowManyRunnersNoticeIt() {
    suddenlySlow(MANY);
  }

  @Test
  @DisplayName("after some minutes on a quick ledger, dead runners delay claims briefly again")
  void whenTheLedgerIsQuickAgainTurnsAreCloseAgain() {
    var pool = new ManyRunners(20, 100);
    pool.slower(HALF_A_SECOND);
    settled(pool);
    pool.slower(Duration.ZERO);
    pool.pass(HEARTBEAT.multipliedBy(4));
    pool.kill(10);
    for (int n = 0; n < 20; n++) {
      assertThat(claimed(pool, n)).isLessThan(HALF_A_SECOND);
    }
  }

  @Test
  @Tag("long")
  @DisplayName("requests together: claims without effect are fewer than requests")
  void manyRequestsCostFewClaims() {
    var pool = new ManyRunners(50, 100);
    pool.slower(HALF_A_SECOND);
    settled(pool);
    for (int n = 0; n < 100; n++) {
      pool.request(n);
    }
    pool.requestsRead();
    Duration took = pool.passUntil(Duration.ofMinutes(2), state -> state.live() == 100);

    assertThat(pool.voidClaims()).isLessThan(50);
    assertThat(took).isLessThan(Duration.ofSeconds(15));
  }

  @Test
  @DisplayName("two of five runners are dead: a claim takes two turns of two round trips more")
  void deadRunnersDelayAClaimByABoundedTime() {
    var pool = new ManyRunners(5, 20);
    pool.slower(HALF_A_SECOND);
    settled(pool);
    pool.kill(3);
    Duration longest = Duration.ZERO;
    for (int n = 0; n < 8; n++) {
      Duration took = claimed(pool, n);
      longest = took.compareTo(longest) > 0 ? took : longest;
    }

    assertThat(longest).isGreaterThan(ROUND_TRIP).isLessThan(ROUND_TRIP.multipliedBy(5));
  }

  private static void suddenlySlow(int runners) {
    var pool = new ManyRunners(runners, 100);
    settled(pool);
    pool.slower(HALF_A_SECOND);
    claimed(pool, 0);
    // 1 + 2 t / 50 ms, and not 2^(t / 50 ms).
    assertThat(pool.claimsOf(0)).isBetween(5, 22);

    pool.pass(HEARTBEAT.plusSeconds(1));
    for (int n = 1; n < 10; n++) {
      claimed(pool, n);
      assertThat(pool.claimsOf(n)).isLessThanOrEqualTo(2);
    }
  }

  /** Offers one request; returns how long its claim took. */
  private static Duration claimed(ManyRunners pool, int number) {
    int live = pool.state().live() + 1;
    pool.request(number);
    pool.requestsRead();
    Duration took = pool.passUntil(Duration.ofMinutes(1), state -> state.live() == live);
    pool.pass(Duration.ofSeconds(1));
    return took;
  }

  /** Passes the time in which all runners begin. */
  private static void settled(ManyRunners pool) {
    pool.pass(HEARTBEAT.plusSeconds(2));
  }
}
