package dev.flyball.tracker.redmine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.tracker.Watermark;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The time from which changes are read: a watermark with overlap. */
class RedmineCursorTest {
  private static final String QUERY = "0123456789ab";
  private static final Instant NOON = Instant.parse("2026-11-22T12:00:00Z");

  @Test
  void aFreshChangeIsReadAgainUntilWhatWasStampedBeforeItMustBeVisible() {
    var cursor = RedmineCursor.after(Optional.empty(), NOON, NOON.plusSeconds(1), QUERY);
    assertThat(cursor.at()).isEqualTo(NOON.plusSeconds(1).minus(RedmineCursor.OVERLAP));
  }

  @Test
  void anOldChangeIsNotReadAgain() {
    var cursor = RedmineCursor.after(Optional.empty(), NOON, NOON.plusSeconds(600), QUERY);
    assertThat(cursor.at()).isBetween(NOON.plusSeconds(1), NOON.plusSeconds(2));
  }

  @Test
  void whatChangedWhileThePollWentOnIsReadAgain() {
    Instant began = NOON;
    var cursor = RedmineCursor.after(Optional.empty(), NOON.plusSeconds(300), began, QUERY);
    assertThat(cursor.at()).isBefore(began);
  }

  @Test
  void aPollThatSeesNothingLeavesItWhereItIs() {
    var before = Optional.of(new Watermark(NOON, QUERY));
    assertThat(RedmineCursor.after(before, null, NOON.plusSeconds(600), QUERY))
        .isEqualTo(before.get());
  }

  @Test
  void anEmptyTrackerHasOneToo() {
    var cursor = RedmineCursor.after(Optional.empty(), null, NOON, QUERY);
    assertThat(cursor.at()).isEqualTo(NOON.minus(RedmineCursor.OVERLAP));
  }

  @Test
  void itNeverGoesBack() {
    var before = Optional.of(new Watermark(NOON, QUERY));
    assertThat(RedmineCursor.after(before, NOON.minusSeconds(60), NOON.plusSeconds(600), QUERY))
        .isEqualTo(before.get());
    assertThat(RedmineCursor.after(before, NOON.plusSeconds(1), NOON.minusSeconds(600), QUERY))
        .isEqualTo(before.get());
  }
}
