package dev.flyball.program.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a person is told before money is spent. */
final class EstimateTest {
  @Test
  void theMostIsSaidForOneSessionEachAndForAllAttempts() {
    assertThat(new Estimate("claude", 40, 500_000, 3, 0, Optional.empty()).line())
        .isEqualTo(
            "40 items, claude at up to $0.50 a session (sessions.budget.usd): at most $20.00 if"
                + " every item needs one session, $60.00 if every one needs all 3 attempts");
  }

  @Test
  void oneItemIsOneItem() {
    assertThat(new Estimate("claude", 1, 500_000, 3, 0, Optional.empty()).line())
        .startsWith("1 item, claude at up to");
  }

  @Test
  void aDailyBudgetHoldsIt() {
    assertThat(new Estimate("claude", 40, 500_000, 3, 0, Optional.of(25_000_000L)).line())
        .contains("at most $20.00 if", ", $25.00 if", "; budget.daily.usd holds it at $25.00");
  }

  @Test
  void withoutALimitNoMostIsPromised() {
    assertThat(new Estimate("codex", 40, 0, 3, 0, Optional.empty()).line())
        .isEqualTo(
            "40 items, codex without a limit a session (sessions.budget.usd is 0): the highest cost"
                + " is unknown; set sessions.budget.usd");
  }

  @Test
  void triageIsIncluded() {
    assertThat(new Estimate("claude", 40, 500_000, 3, 1_000_000, Optional.empty()).line())
        .contains("and $1.00 for all triage calls", "at most $21.00 if", ", $61.00 if");
    assertThat(new Estimate("claude", 40, 0, 0, 1_000_000, Optional.empty()).line())
        .isEqualTo("40 items, claude judges them: at most $1.00 for triage (triage.budget.usd)");
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
