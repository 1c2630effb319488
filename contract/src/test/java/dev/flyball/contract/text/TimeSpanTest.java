package dev.flyball.contract.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class TimeSpanTest {
  @ParameterizedTest
  @CsvSource({"500ms,500", "2s,2000", "10m,600000", "1h,3600000", "7d,604800000", "0s,0"})
  void durationsHaveAUnitAndPrintAsTheyAreWritten(String text, long millis) {
    assertThat(TimeSpan.parse(text)).isEqualTo(Duration.ofMillis(millis));
    assertThat(TimeSpan.exact(Duration.ofMillis(millis))).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "5", "5 m", "-5s", "1.5s", "PT5S", "5M", "9999999999999d"})
  void nothingElseIsADuration(String text) {
    assertThatThrownBy(() -> TimeSpan.parse(text)).isInstanceOf(IllegalArgumentException.class);
  }
}
