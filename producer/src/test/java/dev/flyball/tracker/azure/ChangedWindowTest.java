package dev.flyball.tracker.azure;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChangedWindowTest {
  private static final Instant NOW = Instant.parse("2026-02-10T12:00:00Z");

  @Test
  void halvesMeetWithoutAGap() {
    var whole = ChangedWindow.since(Instant.parse("2026-01-01T00:00:00Z"));

    List<ChangedWindow> halves = whole.halves(NOW);

    assertThat(halves.getFirst().begin()).isEqualTo(whole.begin());
    assertThat(halves.getFirst().end()).isEqualTo(halves.getLast().begin()).isNotNull();
    assertThat(halves.getLast().end()).as("what changes meanwhile").isNull();
    assertThat(ChangedWindow.since(null).halves(NOW).getFirst().begin()).isNull();
  }

  @Test
  void oneMillisecondCannotBeSplitAndATrackerWhoseClockIsAheadCan() {
    assertThat(new ChangedWindow(NOW, NOW.plusMillis(1)).halves(NOW)).isEmpty();
    assertThat(ChangedWindow.since(NOW.plusSeconds(3600)).halves(NOW)).hasSize(2);
  }
}
