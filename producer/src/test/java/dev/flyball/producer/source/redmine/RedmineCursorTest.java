package dev.flyball.producer.source.redmine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** From when on changes are read (S0-9: a watermark with overlap). */
class RedmineCursorTest {
  private static final Instant NOON = Instant.parse("2026-11-22T12:00:00Z");

  @Test
  void aFreshChangeIsReadAgainUntilWhatWasStampedBeforeItMustBeVisible() {
    var cursor = RedmineCursor.after(Optional.empty(), NOON, NOON.plusSeconds(1));
    assertThat(cursor.from()).isEqualTo(NOON.plusSeconds(1).minus(RedmineCursor.OVERLAP));
  }

  @Test
  void anOldChangeIsNotReadAgain() {
    var cursor = RedmineCursor.after(Optional.empty(), NOON, NOON.plusSeconds(600));
    assertThat(cursor.from()).isBetween(NOON.plusSeconds(1), NOON.plusSeconds(2));
  }

  @Test
  void whatChangedWhileThePollWentOnIsReadAgain() {
    Instant began = NOON;
    var cursor = RedmineCursor.after(Optional.empty(), NOON.plusSeconds(300), began);
    assertThat(cursor.from()).isBefore(began);
  }

  @Test
  void aPollThatSeesNothingLeavesItWhereItIs() {
    var before = Optional.of(new RedmineCursor(NOON));
    assertThat(RedmineCursor.after(before, null, NOON.plusSeconds(600))).isEqualTo(before.get());
  }

  @Test
  void anEmptyTrackerHasOneToo() {
    var cursor = RedmineCursor.after(Optional.empty(), null, NOON);
    assertThat(cursor.from()).isEqualTo(NOON.minus(RedmineCursor.OVERLAP));
  }

  @Test
  void itNeverGoesBack() {
    var before = Optional.of(new RedmineCursor(NOON));
    assertThat(RedmineCursor.after(before, NOON.minusSeconds(60), NOON.plusSeconds(600)))
        .isEqualTo(before.get());
    assertThat(RedmineCursor.after(before, NOON.plusSeconds(1), NOON.minusSeconds(600)))
        .isEqualTo(before.get());
  }

  @Test
  void itIsReadAsItWasWritten() {
    var cursor = new RedmineCursor(NOON);
    assertThat(RedmineCursor.parse(cursor.toString())).contains(cursor);
    assertThat(cursor.toString()).doesNotContainAnyWhitespaces();
  }

  @Test
  void anotherSourcesCursorIsNone() {
    assertThat(RedmineCursor.parse("lines=17")).isEmpty();
    assertThat(RedmineCursor.parse(null)).isEmpty();
  }
}
