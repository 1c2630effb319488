package dev.flyball.runner.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.ledger.LedgerEntry;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("A runner waits two round trips of the ledger for each runner before it")
class RoundTripTest {
  private static final long MS = 1_000_000;
  private final RoundTrip trip = new RoundTrip(50 * MS, 5_000 * MS);
  private long now = 1_000_000 * MS;
  private int renewals;

  @Test
  void theWaitIsBoundedBothWays() {
    sentAndRead(20);
    assertThat(untilTurns()).containsExactly(0L, 50L, 100L, 150L);
    sentAndRead(400);
    assertThat(untilTurns()).containsExactly(0L, 800L, 1_600L, 2_400L);
    assertThat(trip.untilTurn(1_000, now)).isEqualTo(5_000 * MS);
  }

  @Test
  void anEntryThatIsNotReadYetCountsAsLongAsItWasWaitedFor() {
    trip.sent(List.of(renewal()), now);
    trip.read(OneRunner.othersRenewal(1, "theirs"), now);

    now += 300 * MS;
    assertThat(untilTurns()).containsExactly(0L, 600L, 1_200L, 1_800L);
  }

  @Test
  void afterADisturbanceTheWaitsComeDownAgain() {
    trip.sent(List.of(renewal()), now);
    now += 5_001 * MS;
    trip.sent(List.of(), now);
    assertThat(untilTurns()).containsExactly(0L, 5_000L, 5_000L, 5_000L);

    for (int n = 0; n < 10; n++) {
      sentAndRead(20);
    }
    assertThat(untilTurns()).containsExactly(0L, 50L, 100L, 150L);
  }

  private List<Long> untilTurns() {
    return IntStream.range(0, 4).mapToObj(rank -> trip.untilTurn(rank, now) / MS).toList();
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
