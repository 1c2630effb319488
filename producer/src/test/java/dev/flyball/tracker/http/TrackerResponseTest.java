package dev.flyball.tracker.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.MissingNode;
import java.net.http.HttpHeaders;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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

  @Test
  void theNextPageIsFoundAmongOthersAndInAnyHeader() {
    assertThat(
            next(
                "<https://x/2>; rel=\"prev\", <https://x/4>; rel=\"next\", <https://x/9>;"
                    + " rel=last"))
        .isEqualTo("https://x/4");
    assertThat(next("<https://x/1>; rel=first", "<https://x/4>;title=\"a, b\";rel=next"))
        .isEqualTo("https://x/4");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "<https://x/1>; rel=\"first\", <https://x/2>; rel=\"prev\"",
        "<https://x/1>; title=\"next\"; rel=\"last\"",
        "<broken; rel=\"next\"",
        ""
      })
  void theLastPageHasNone(String header) {
    assertThat(next(header)).isNull();
  }

  private static @Nullable String next(String... links) {
    return answer(HttpHeaders.of(Map.of("link", List.of(links)), (name, value) -> true)).next();
  }

  private static Instant served(HttpHeaders headers) {
    return answer(headers).served(OURS);
  }

  private static TrackerResponse answer(HttpHeaders headers) {
    return new TrackerResponse(200, headers, MissingNode.getInstance(), Duration.ZERO);
  }

  private static HttpHeaders headers(String date) {
    return HttpHeaders.of(Map.of("date", List.of(date)), (name, value) -> true);
  }
}
