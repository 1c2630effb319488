package dev.flyball.runner.protocol;

import static dev.flyball.runner.protocol.OneRunner.ITEM;
import static dev.flyball.runner.protocol.OneRunner.TIMES;
import static dev.flyball.runner.protocol.OneRunner.othersClaim;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.ledger.LedgerEntry;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How long a runner repeats what it holds, and how long it remembers other runners. */
class ParticipantHoldingsTest {

  @Test
  void afterARenewalWasReadTheNextOneComesAfterTheWholeDistance() {
    OneRunner runner = OneRunner.holding();
    runner.passAndTick(TIMES.renew());
    runner.read(runner.renewal());
    runner.passAndTick(TIMES.renew().minusNanos(1));
    assertThat(runner.appended(LedgerEntry.Renew.class)).isEmpty();

    runner.passAndTick(Duration.ofNanos(1));
    assertThat(runner.appended(LedgerEntry.Renew.class)).hasSize(1);
  }

  @Test
  void aPredecessorsReleaseIsClosedIfTheLedgerWasReadAndShowsNoOpenLease() {
    var runner = new OneRunner(3);
    runner.dead("ended long ago");
    runner.dead("still open");
    runner.read(new LedgerEntry.Init(3, TIMES.lease().toMillis(), List.of()));
    runner.read(othersClaim("still open", "r9", ITEM));
    assertThat(runner.taken()).noneMatch(Step.Closed.class::isInstance);

    runner.caughtUp();

    assertThat(runner.taken())
        .filteredOn(Step.Closed.class::isInstance)
        .containsExactly(new Step.Closed("ended long ago"));
    runner.passAndTick(TIMES.retry());
    assertThat(runner.appended(LedgerEntry.Release.class))
        .extracting(LedgerEntry.Release::session)
        .containsExactly("still open");
  }

  @Test
  void anotherProvidersPauseIsNotThisOnes() {
    OneRunner runner = OneRunner.ready(3);
    runner.read(new LedgerEntry.Pause("provider:other", null, -1, "ann", "bill"));
    runner.participant().providerLimited("mine", now -> now, "limit", runner.now());
    runner.passAndTick(TIMES.retry());

    assertThat(runner.appended(LedgerEntry.Pause.class))
        .extracting(LedgerEntry.Pause::scope)
        .containsExactly("provider:mine");
  }
}
