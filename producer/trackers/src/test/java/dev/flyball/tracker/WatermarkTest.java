package dev.flyball.tracker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class WatermarkTest {
  private static final Instant T = Instant.parse("2026-02-10T08:00:00Z");
  private static final String QUERY = Watermark.mark("https://api.github.com", "acme/web");

  @Test
  void itsTextIsOneWordAndReadsAsItself() {
    var watermark = new Watermark(T, QUERY, false);

    assertThat(watermark.toString()).doesNotContainPattern("\\s");
    assertThat(Watermark.read(watermark.toString(), QUERY)).contains(watermark);
    assertThat(Watermark.read(watermark.asSettled().toString(), QUERY))
        .contains(watermark.asSettled());
  }

  @Test
  void itNeverGoesBack() {
    var watermark = new Watermark(T, QUERY, false);

    assertThat(watermark.seen(T.minusSeconds(1))).isEqualTo(watermark);
    assertThat(watermark.seen(T.plusSeconds(1)).at()).isEqualTo(T.plusSeconds(1));
  }

  @Test
  void anotherQueryStartsAfresh() {
    String other = Watermark.mark("https://api.github.com", "acme/app");

    assertThat(Watermark.read(new Watermark(T, QUERY, false).toString(), other)).isEmpty();
    assertThat(Watermark.mark("a", "b")).isNotEqualTo(Watermark.mark("b", "a"));
  }

  @Test
  void whatIsNoWatermarkStartsAfresh() {
    assertThat(Watermark.read(null, QUERY)).isEmpty();
    assertThat(Watermark.read("sha256:00", QUERY)).isEmpty();
    assertThat(Watermark.read("2026-99-99T00:00:00Z;query=" + QUERY, QUERY)).isEmpty();
  }
}
