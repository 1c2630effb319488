package dev.flyball.tracker.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpHeaders;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The pause that headers ask for before requests are rejected. */
class RateHeadersTest {
  private static final Instant NOW = Instant.parse("2026-11-22T03:00:00Z");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          0                              |    0
          30                             |   30
          1.5                            |    2
          -5                             |    0
          soon                           |    0
          ''                             |    0
          99999999999999999999999        | 3600
          Sun, 22 Nov 2026 03:02:00 GMT  |  120
          Sun, 22 Nov 2026 02:00:00 GMT  |    0
          Sun, 22 Nov 2099 02:00:00 GMT  | 3600
          """)
  void retryAfterIsSecondsOrADateAndBounded(String value, long seconds) {
    assertThat(pause("Retry-After", value)).isEqualTo(Duration.ofSeconds(seconds));
  }

  @Test
  void gitHubsResetIsWaitedForWhenTheAllowanceIsNearlyUsedUp() {
    String reset = Long.toString(NOW.getEpochSecond() + 900);

    assertThat(limits("5000", "4000", reset)).isZero();
    assertThat(limits("5000", "101", reset)).isZero();
    assertThat(limits("5000", "100", reset)).as("the last fiftieth").isEqualTo(minutes(15));
    assertThat(limits("5000", "0", reset)).isEqualTo(minutes(15));
    assertThat(limits("60", "1", reset)).as("without a token").isEqualTo(minutes(15));
    assertThat(limits("60", "2", reset)).isZero();
  }

  @Test
  void jirasResetIsADate() {
    assertThat(limits("350000", "0", "2026-11-22T03:05Z")).isEqualTo(minutes(5));
    assertThat(limits("350000", "0", "2026-11-22T04:05:30+01:00"))
        .isEqualTo(Duration.ofSeconds(330));
  }

  @Test
  void linearCountsRequestsAndTheirComplexity() {
    String reset = Long.toString(NOW.toEpochMilli() + 60_000);
    assertThat(
            pause(
                "X-RateLimit-Complexity-Limit",
                "250000",
                "X-RateLimit-Complexity-Remaining",
                "4000",
                "X-RateLimit-Complexity-Reset",
                reset))
        .isEqualTo(minutes(1));
  }

  @Test
  void theDraftsResetIsFromNow() {
    assertThat(pause("RateLimit-Limit", "100", "RateLimit-Remaining", "2", "RateLimit-Reset", "40"))
        .isEqualTo(Duration.ofSeconds(40));
  }

  @Test
  void azureDelaysAreWaitedForOnceMore() {
    assertThat(pause("X-RateLimit-Delay", "4.250")).isEqualTo(Duration.ofSeconds(5));
    assertThat(pause("X-RateLimit-Delay", "4.250", "Retry-After", "20"))
        .as("the longest counts")
        .isEqualTo(Duration.ofSeconds(20));
  }

  @Test
  void nonsenseAsksForNoPause() {
    assertThat(limits("x", "y", "z")).isZero();
    assertThat(limits("0", "0", "yesterday")).isZero();
    assertThat(limits("5000", "0", "1")).as("one second from now").isEqualTo(Duration.ofSeconds(1));
    assertThat(limits("5000", "0", Long.toString(NOW.getEpochSecond() - 5))).isZero();
    assertThat(limits("5000", "0", Long.toString(NOW.toEpochMilli() + 60_000)))
        .as("in milliseconds")
        .isEqualTo(minutes(1));
    assertThat(pause()).isZero();
  }

  private static Duration minutes(long minutes) {
    return Duration.ofMinutes(minutes);
  }

  private static Duration limits(String limit, String remaining, String reset) {
    return pause(
        "X-RateLimit-Limit", limit, "X-RateLimit-Remaining", remaining, "X-RateLimit-Reset", reset);
  }

  private static Duration pause(String... namesAndValues) {
    Map<String, List<String>> headers = new TreeMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      headers.put(namesAndValues[i], List.of(namesAndValues[i + 1]));
    }
    return new RateHeaders(HttpHeaders.of(headers, (name, value) -> true), NOW).pause();
  }
}
