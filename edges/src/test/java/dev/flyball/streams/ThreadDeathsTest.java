package dev.flyball.streams;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class ThreadDeathsTest {
  private final ThreadDeaths deaths = new ThreadDeaths();
  private long nowNanos = Long.MAX_VALUE - Duration.ofMinutes(11).toNanos();

  @Test
  void thePauseDoublesWithEachDeathInARowUpToTenSeconds() {
    long[] pauses = new long[40];
    for (int i = 0; i < pauses.length; i++) {
      pauses[i] = diedAfter(Duration.ofMinutes(9));
    }

    assertThat(pauses).startsWith(200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000);
    assertThat(pauses).endsWith(10_000);
    assertThat(deaths.row()).isEqualTo(40);
  }

  @Test
  void aThreadThatLivedForLongBeginsANewRow() {
    for (int month = 0; month < 40; month++) {
      assertThat(diedAfter(Duration.ofDays(30))).isEqualTo(200);
    }
    assertThat(deaths.row()).isOne();
    assertThat(diedAfter(Duration.ofSeconds(1))).isEqualTo(400);
  }

  private long diedAfter(Duration life) {
    nowNanos += life.toNanos();
    return deaths.died(nowNanos);
  }
}
