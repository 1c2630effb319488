package dev.flyball.program.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a person is told before money is spent. */
final class EstimateTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          40 | 500000 | 3 | 0       |          | claude: at most $60.00 with $0.50 a session (sessions.budget.usd), 3 attempts an item
          1  | 500000 | 1 | 1000000 |          | claude: at most $1.50 with $0.50 a session (sessions.budget.usd), 1 attempt an item and $1.00 for all triage calls (triage.budget.usd)
          40 | 0      | 0 | 1000000 |          | claude: at most $1.00 with $1.00 for all triage calls (triage.budget.usd)
          40 | 500000 | 3 | 0       | 25000000 | claude: at most $25.00 (budget.daily.usd) with $0.50 a session (sessions.budget.usd), 3 attempts an item
          40 | 0      | 3 | 0       |          | claude without a limit a session (sessions.budget.usd is 0): the highest cost is unknown; set sessions.budget.usd
          """)
  void theMostIsSaidWithWhatItIsMadeOf(
      long items, long session, int attempts, long triage, @Nullable Long daily, String line) {
    assertThat(
            new Estimate("claude", items, session, attempts, triage, Optional.ofNullable(daily))
                .line())
        .isEqualTo(items + (items == 1 ? " item, " : " items, ") + line);
  }
}
