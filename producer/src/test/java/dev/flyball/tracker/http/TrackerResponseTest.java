package dev.flyball.tracker.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.MissingNode;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The time at which an answer was made, which decides what later polls need not read. */
class TrackerResponseTest {
  private static final Instant OURS = Instant.parse("2026-11-22T10:00:07.9Z");

  @Test
  void theTrackersClockCountsIfItSaysTheTime() {
    assertThat(served(headers("Sun, 22 Nov 2026 09:58:03 GMT")))
        .isEqualTo(Instant.parse("2026-11-22T09:58:03Z"));
  }

  @Test
  void withoutOneOursCountsInWholeSeconds() {
    Instant whole = Instant.parse("2026-11-22T10:00:07Z");

    assertThat(served(HttpHeaders.of(Map.of(), (name, value) -> true))).isEqualTo(whole);
    assertThat(served(headers("yesterday"))).isEqualTo(whole);
  }

  private static Instant served(HttpHeaders headers) {
    return new TrackerResponse(200, headers, MissingNode.getInstance(), Duration.ZERO).served(OURS);
  }

  private static HttpHeaders headers(String date) {
    return HttpHeaders.of(Map.of("date", List.of(date)), (name, value) -> true);
  }
}
