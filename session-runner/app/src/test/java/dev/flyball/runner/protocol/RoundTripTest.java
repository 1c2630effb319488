package dev.flyball.runner.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.ledger.LedgerEntry;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Turns at a claim are as far apart as the ledger is slow")
class RoundTripTest {
  private static final long MS = 1_000_000;
  private static final long HERD = 50 * MS;
  private static final long LATE = 5_000 * MS;
  private final RoundTrip trip = new RoundTrip(HERD, LATE);
  private long now = 1_000_000 * MS;
  private int renewals;

  @Test
  void onAQuickLedgerTheyAreAsCloseAsAllowed() {
    sentAndRead(20);

    assertThat(untilTurns(4)).containsExactly(0L, 50L, 150L, 350L, 750L);
  }

  @Test
  void onASlowLedgerTheyAreTwoRoundTripsApart() {
    sentAndRead(500);

    assertThat(untilTurns(4)).containsExactly(0L, 1_000L, 2_000L, 3_000L, 4_000L);
  }

  @Test
  @DisplayName("an entry that is not read yet counts as long as it was waited for")
  void anOpenEntryCounts() {
    trip.sent(List.of(renewal()), now);

    now += 300 * MS;
    assertThat(untilTurns(2)).containsExactly(0L, 600L, 1_200L);
  }

  @Test
  @DisplayName("a runner that is first in line and dead delays a claim by the longest time at most")
  void theDelayOfADeadRunnerIsBounded() {
    for (int n = 0; n < 10; n++) {
      trip.sent(List.of(renewal()), now);
      now += 60_000 * MS;
      assertThat(untilTurns(1)).containsExactly(0L, LATE / MS);
    }
  }

  @Test
  @DisplayName("after a disturbance every entry halves the distance, even if one was lost")
  void theyComeCloserAgain() {
    trip.sent(List.of(renewal()), now);
    now += LATE + 1;
    trip.sent(List.of(), now);
    assertThat(untilTurns(1)).last().isEqualTo(LATE / MS);

    long before = LATE / MS;
    for (int n = 0; n < 4; n++) {
      sentAndRead(20);
      long after = untilTurns(1).getLast();
      assertThat(after).isLessThanOrEqualTo(before);
      before = after;
    }
    assertThat(before).isLessThan(LATE / MS / 5);
    for (int n = 0; n < 6; n++) {
      sentAndRead(20);
    }
    assertThat(untilTurns(1)).last().isEqualTo(50L);
  }

  @Test
  void oneLongRoundTripCountsImmediately() {
    for (int n = 0; n < 10; n++) {
      sentAndRead(20);
    }
    sentAndRead(400);

    assertThat(untilTurns(1)).last().isEqualTo(800L);
  }

  @Test
  void entriesOfOtherRunnersAreNoMeasure() {
    trip.sent(List.of(renewal()), now);
    trip.read(OneRunner.othersRenewal(1, "theirs"), now + 400 * MS);
    trip.read(new LedgerEntry.Runner("other", 1, "A", 4, null, null), now + 400 * MS);

    assertThat(untilTurns(1)).last().isEqualTo(50L);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 20, 500, 2_000, 5_000})
  @DisplayName("before anything is measured, 1 + 2 t / 50 ms runners of a million claim until t")
  void claimsGrowWithTheRoundTripAndNotWithItsPower(long millis) {
    long claim = 0;
    for (int wave = 0; wave < 20 && trip.untilTurn(wave, now) <= millis * MS; wave++) {
      claim += 1L << wave;
    }

    assertThat(claim).isBetween(1L, 1 + 2 * millis / 50);
  }

  /** The waits of the first turns, in milliseconds. */
  private List<Long> untilTurns(int last) {
    return IntStream.rangeClosed(0, last).mapToObj(wave -> trip.untilTurn(wave, now) / MS).toList();
  }

  private void sentAndRead(long millis) {
    Step.Append sent = renewal();
    trip.sent(List.of(new Step.Warn("something else"), sent), now);
    now += millis * MS;
    trip.read(sent.entry(), now);
  }

  private Step.Append renewal() {
    return new Step.Append(
        new LedgerEntry.Renew(
            ++renewals, List.of(new LedgerEntry.Usage("session", renewals, renewals))));
  }
}
