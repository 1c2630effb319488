package dev.flyball.runner.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.ledger.LedgerEntry;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A provider that refuses one runner's session refuses everybody's (T6). */
class ParticipantProviderTest {
  private static final Instant RESET = Instant.EPOCH.plusSeconds(3600);

  private final OneRunner runner = OneRunner.ready(3);

  @Test
  void aRefusalPausesTheProvidersScopeUntilItsReset() {
    LedgerEntry.Pause pause = pause(limited(RESET));

    assertThat(pause.scope()).isEqualTo("provider:somebody");
    assertThat(pause.until()).isEqualTo(RESET);
    assertThat(pause.seen()).as("nobody spoke of this scope before").isEqualTo(-1);
    assertThat(pause.why()).isEqualTo("provider limit");
  }

  @Test
  void whatIsPausedForAsLongIsNotPausedAgain() {
    runner.read(pause(limited(RESET)));

    assertThat(limited(RESET)).isEmpty();
    assertThat(limited(RESET.minusSeconds(1))).isEmpty();
  }

  @Test
  void aLaterResetReplacesTheEntryThatItHasSeen() {
    runner.read(pause(limited(RESET)));
    long first = runner.next() - 1;

    LedgerEntry.Pause longer = pause(limited(RESET.plusSeconds(1)));

    assertThat(longer.seen()).isEqualTo(first);
    assertThat(longer.until()).isEqualTo(RESET.plusSeconds(1));
  }

  @Test
  void onALedgerThatIsAnotherOneNothingIsSaid() {
    runner.unusable();

    assertThat(limited(RESET)).isEmpty();
  }

  private List<Step> limited(Instant until) {
    return runner.participant().providerLimited("somebody", until, "provider limit");
  }

  private static LedgerEntry.Pause pause(List<Step> steps) {
    assertThat(steps).hasSize(1);
    return (LedgerEntry.Pause) ((Step.Append) steps.getFirst()).entry();
  }
}
