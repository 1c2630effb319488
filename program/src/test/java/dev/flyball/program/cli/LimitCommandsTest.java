package dev.flyball.program.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.ledger.Limits;
import dev.flyball.program.config.ConfigurationError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LimitCommandsTest {
  private static final Limits BOTH = new Limits(20_000_000L, 5_000L);

  @Test
  void aLimitThatIsNotNamedStays() {
    assertThat(LimitCommands.limits(BOTH, "40", null)).isEqualTo(new Limits(40_000_000L, 5_000L));
    assertThat(LimitCommands.limits(BOTH, null, "7")).isEqualTo(new Limits(20_000_000L, 7L));
  }

  @Test
  void noneRemovesTheNamedLimitOnly() {
    assertThat(LimitCommands.limits(BOTH, "none", null)).isEqualTo(new Limits(null, 5_000L));
    assertThat(LimitCommands.limits(BOTH, "0.50", "none")).isEqualTo(new Limits(500_000L, null));
  }

  @ParameterizedTest
  @CsvSource({"abc,", "-1,", "99999999999999999,", ", 1.5", ", -1", ", many"})
  void whatIsNoLimitIsRejected(String usd, String tokens) {
    assertThatThrownBy(() -> LimitCommands.limits(BOTH, usd, tokens))
        .isInstanceOf(ConfigurationError.class);
  }
}
