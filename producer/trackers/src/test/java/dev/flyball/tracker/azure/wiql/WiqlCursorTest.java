package dev.flyball.tracker.azure.wiql;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How far changes were read, and from which time they are read again. */
class WiqlCursorTest {
  private static final WiqlCursor NONE = WiqlCursor.none("https://dev.azure.com/o/p", "SELECT ...");
  private static final Instant NOON = Instant.parse("2026-02-10T12:00:00Z");
  private static final Instant SOON = NOON.plusSeconds(60);
  private static final Instant AN_HOUR_LATER = NOON.plusSeconds(3_600);

  @Test
  void atFirstEverythingIsRead() {
    assertThat(NONE.readsFrom()).isEmpty();
  }

  @Test
  void theLastHourIsReadAgainBecauseTheIndexMayLag() {
    assertThat(NONE.after(NOON, SOON).readsFrom()).contains(NOON.minusSeconds(3_600));
  }

  @Test
  void afterAnHourWithoutAChangeOnlyNewerOnesAreRead() {
    WiqlCursor settled = NONE.after(NOON, SOON).after(NOON, AN_HOUR_LATER);

    assertThat(settled.readsFrom()).contains(NOON.plusMillis(1));
    assertThat(settled.after(null, AN_HOUR_LATER.plusSeconds(1))).isEqualTo(settled);
  }

  @Test
  void aNewChangeOpensTheHourAgain() {
    WiqlCursor settled = NONE.after(NOON, AN_HOUR_LATER);
    Instant change = AN_HOUR_LATER.plusSeconds(30);

    assertThat(settled.after(change, AN_HOUR_LATER.plusSeconds(60)).readsFrom())
        .contains(change.minusSeconds(3_600));
  }

  @Test
  void theHourIsNotOverBeforeItIs() {
    WiqlCursor open = NONE.after(NOON, SOON).after(NOON, AN_HOUR_LATER.minusMillis(1));

    assertThat(open.readsFrom()).contains(NOON.minusSeconds(3_600));
  }

  @Test
  void withoutTheTrackersTimeNothingIsEverSettled() {
    assertThat(NONE.after(NOON, null).after(NOON, null).readsFrom())
        .contains(NOON.minusSeconds(3_600));
  }

  @Test
  void itNeverGoesBack() {
    WiqlCursor at = NONE.after(NOON, SOON);

    assertThat(at.after(NOON.minusSeconds(7_200), SOON)).isEqualTo(at);
    assertThat(at.after(null, SOON)).isEqualTo(at);
  }

  @Test
  void aChangeDuringThePollIsNoProofThatAllBeforeItWereListed() {
    WiqlCursor at = NONE.after(SOON, NOON);

    assertThat(at.readsFrom()).contains(NOON.minusSeconds(3_600));
  }

  @Test
  void theSameAgainIsTheSameCursor() {
    WiqlCursor at = NONE.after(NOON, SOON);

    assertThat(at.after(NOON, SOON.plusSeconds(300))).hasToString(at.toString());
    assertThat(at.toString()).doesNotContainPattern("\\s");
    assertThat(NONE.orAsIn(at.toString())).isEqualTo(at);
    WiqlCursor settled = at.after(null, AN_HOUR_LATER);
    assertThat(NONE.orAsIn(settled.toString())).isEqualTo(settled);
  }

  @Test
  void anotherQueryBeginsAnew() {
    String cursor = NONE.after(NOON, SOON).toString();

    assertThat(
            WiqlCursor.none("https://dev.azure.com/o/p", "SELECT else").orAsIn(cursor).readsFrom())
        .isEmpty();
    assertThat(
            WiqlCursor.none("https://dev.azure.com/o/q", "SELECT ...").orAsIn(cursor).readsFrom())
        .isEmpty();
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"", "sha256:abc", "wiql1/x", "wiql1///", "wiql1/00000000/nonsense/open"})
  void aCursorOfSomethingElseBeginsAnew(String cursor) {
    assertThat(NONE.orAsIn(cursor)).isEqualTo(NONE);
  }

  @Test
  void nothingAtAllIsReadAgainAsAWhole() {
    WiqlCursor empty = NONE.after(null, NOON);

    assertThat(empty.readsFrom()).isEmpty();
    assertThat(NONE.orAsIn(empty.toString())).isEqualTo(NONE);
  }
}
