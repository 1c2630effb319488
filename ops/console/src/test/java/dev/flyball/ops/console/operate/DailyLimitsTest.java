package dev.flyball.ops.console.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.ledger.Limits;
import dev.flyball.ops.console.operate.ScopeChange.DailyLimits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DailyLimitsTest {
  private static final Limits BOTH = new Limits(20_000_000L, 5_000L);

  @Test
  void aLimitThatIsNotNamedStays() {
    assertThat(new DailyLimits("40", null).after(BOTH)).isEqualTo(new Limits(40_000_000L, 5_000L));
    assertThat(new DailyLimits(null, "7").after(BOTH)).isEqualTo(new Limits(20_000_000L, 7L));
  }

  @Test
  void noneRemovesTheNamedLimitOnly() {
    assertThat(new DailyLimits("none", null).after(BOTH)).isEqualTo(new Limits(null, 5_000L));
    assertThat(new DailyLimits("0.50", "none").after(BOTH)).isEqualTo(new Limits(500_000L, null));
  }

  @ParameterizedTest
  @CsvSource({
    "abc,",
    "-1,",
    "1e3,",
    "1e1000000000,",
    ", 1e1000000000",
    "99999999999999999,",
    ", 1.5",
    ", -1",
    ", many"
  })
  void whatIsNoLimitIsRejected(String usd, String tokens) {
    assertThatThrownBy(() -> new DailyLimits(usd, tokens))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
