package dev.flyball.ops.console.projection;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventLagTest {
  private static final Instant T = Instant.parse("2026-11-21T10:00:00Z");

  @Test
  void whatWasPolledCountsUntilItIsStored() {
    EventLag polled = EventLag.NONE.with(List.of(T.plusSeconds(3), T), 0);

    assertThat(polled.records()).isEqualTo(2);
    assertThat(polled.seconds(T.plusSeconds(70))).isEqualTo(70);
    assertThat(polled.stored(List.of(T.plusSeconds(3), T)))
        .isEqualTo(new EventLag(0, T.plusSeconds(3)));
    assertThat(polled.stored(List.of(T.plusSeconds(3), T)).seconds(T.plusSeconds(70))).isZero();
  }

  @Test
  void moreThanWasPolledIsAsOldAsTheNewestThatIsStored() {
    EventLag stored = EventLag.NONE.with(List.of(T), 5).stored(List.of(T));

    assertThat(stored).isEqualTo(new EventLag(5, T));
    assertThat(stored.with(List.of(), 5).seconds(T.plusSeconds(9))).isEqualTo(9);
  }

  @Test
  void anEventAfterALongSilenceIsNotLate() {
    EventLag quiet = new EventLag(0, T);

    assertThat(quiet.with(List.of(T.plusSeconds(7_200)), 0).seconds(T.plusSeconds(7_201)))
        .isEqualTo(1);
  }
}
