package dev.flyball.program.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a person is told before money is spent. */
final class EstimateTest {
  @Test
  void theMostIsSaidForAllAttemptsWithWhatItIsMadeOf() {
    assertThat(new Estimate("claude", 40, 500_000, 3, 0, Optional.empty()).line())
        .isEqualTo(
            "40 items, claude: at most $60.00 with $0.50 a session (sessions.budget.usd), 3"
                + " attempts an item");
    assertThat(new Estimate("claude", 1, 500_000, 1, 1_000_000, Optional.empty()).line())
        .isEqualTo(
            "1 item, claude: at most $1.50 with $0.50 a session (sessions.budget.usd), 1 attempt an"
                + " item and $1.00 for all triage calls (triage.budget.usd)");
    assertThat(new Estimate("claude", 40, 0, 0, 1_000_000, Optional.empty()).line())
        .isEqualTo(
            "40 items, claude: at most $1.00 with $1.00 for all triage calls (triage.budget.usd)");
  }

  @Test
  void aDailyBudgetHoldsIt() {
    assertThat(new Estimate("claude", 40, 500_000, 3, 0, Optional.of(25_000_000L)).line())
        .contains("at most $25.00 with", "; budget.daily.usd holds it at $25.00");
  }

  @Test
  void withoutALimitNoMostIsPromised() {
    assertThat(new Estimate("codex", 40, 0, 3, 0, Optional.empty()).line())
        .isEqualTo(
            "40 items, codex without a limit a session (sessions.budget.usd is 0): the highest cost"
                + " is unknown; set sessions.budget.usd");
  }

  @Test
  void absurdFiguresDoNotOverflow() {
    assertThat(
            new Estimate(
                    "claude", Long.MAX_VALUE, Long.MAX_VALUE, 100, Long.MAX_VALUE, Optional.empty())
                .line())
        .doesNotContain("-");
  }
}
