package dev.flyball.program.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.broker.BrokerConfig;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class PlacesCheckTest {
  private static final Path DATA = Path.of("data");

  @Test
  void aDiskOnWhichTheBrokerDoesNotStartIsUnhealthy() {
    assertThat(PlacesCheck.space(DATA, BrokerConfig.MIN_FREE_BYTES - 1).state())
        .isEqualTo(Finding.State.UNHEALTHY);
    assertThat(PlacesCheck.space(DATA, BrokerConfig.MIN_FREE_BYTES).state())
        .isEqualTo(Finding.State.DEGRADED);
    assertThat(PlacesCheck.space(DATA, 1L << 30).state()).isEqualTo(Finding.State.OK);
  }
}
