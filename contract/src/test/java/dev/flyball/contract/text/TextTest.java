package dev.flyball.contract.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TextTest {
  @ParameterizedTest
  @CsvSource({
    "PT-1S, 0s, 0s",
    "PT0.5S, 0s, 1s",
    "PT59.001S, 59s, 1m 0s",
    "PT3M5S, 3m 5s, 3m 5s",
    "PT2H10M59S, 2h 10m, 2h 10m",
    "P9DT4H, 9d 4h, 9d 4h"
  })
  void anAgeIsRoundedDownAndARemainingTimeUp(Duration span, String age, String remaining) {
    assertThat(TimeSpan.age(span)).isEqualTo(age);
    assertThat(TimeSpan.remaining(span)).isEqualTo(remaining);
  }

  @ParameterizedTest
  @CsvSource({"0, 0, 0.00", "500000, 0.5, 0.50", "10000000, 10, 10.00", "5000, 0.005, 0.01"})
  void dollarsAreExactOrRoundedToCents(long micros, String exact, String rounded) {
    assertThat(Dollars.exact(micros)).isEqualTo(exact);
    assertThat(Dollars.rounded(micros)).isEqualTo(rounded);
  }

  @Test
  void aForeignTextBecomesOneLine() {
    assertThat(OneLine.of(" a\r\n\tb\u0000c ")).isEqualTo("a b c");
    assertThat(OneLine.of(null)).isEqualTo("null");
    assertThat(OneLine.first("what\nwhere")).isEqualTo("what");
    assertThat(OneLine.first("")).isEmpty();
  }

  @Test
  void aCutLeavesCharactersWhole() {
    assertThat(OneLine.of("a \n bcd", 3)).isEqualTo("a b");
    assertThat(OneLine.of("ab\ud83d\ude00", 3)).isEqualTo("ab");
    assertThat(OneLine.start("abc", 0)).isEmpty();
  }
}
