package dev.flyball.tracker.paging;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpHeaders;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The time at which an answer was made, which decides what later polls need not read. */
class ServedTest {
  private static final Instant OURS = Instant.parse("2026-11-22T10:00:07.9Z");

  @Test
  void theTrackersClockCountsIfItSaysTheTime() {
    assertThat(Served.at(headers("Sun, 22 Nov 2026 09:58:03 GMT"), OURS))
        .isEqualTo(Instant.parse("2026-11-22T09:58:03Z"));
  }

  @Test
  void withoutOneOursCountsInWholeSeconds() {
    Instant whole = Instant.parse("2026-11-22T10:00:07Z");

    assertThat(Served.at(HttpHeaders.of(Map.of(), (name, value) -> true), OURS)).isEqualTo(whole);
    assertThat(Served.at(headers("yesterday"), OURS)).isEqualTo(whole);
  }

  private static HttpHeaders headers(String date) {
    return HttpHeaders.of(Map.of("date", List.of(date)), (name, value) -> true);
  }
}
