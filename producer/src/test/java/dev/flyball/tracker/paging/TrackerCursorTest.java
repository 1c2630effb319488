package dev.flyball.tracker.paging;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class TrackerCursorTest {
  private static final Instant T = Instant.parse("2026-02-10T08:00:00Z");
  private static final Instant LATER = T.plusSeconds(90);

  @ParameterizedTest
  @CsvSource({
    "2026-02-10T08:00:00Z;query=abc, false,,false",
    "2026-02-10T08:00:00Z;query=abc;settled, true,,false",
    "2026-02-10T08:00:00Z;query=abc;began=2026-02-10T08:01:30Z, false,T,false",
    "2026-02-10T08:00:00Z;query=abc;began=2026-02-10T08:01:30Z;afresh, false,T,true"
  })
  void itsTextIsOneWordAndReadsAsItself(
      String text, boolean settled, @Nullable String began, boolean fresh) {
    var cursor = new TrackerCursor(T, "abc", settled, began == null ? null : LATER, fresh);

    assertThat(cursor).hasToString(text);
    assertThat(TrackerCursor.read(text, "abc")).isEqualTo(cursor);
  }

  @Test
  void anotherQueryStartsFromTheBeginning() {
    String cursor = new TrackerCursor(T, "abc", false, null, false).toString();

    assertThat(TrackerCursor.read(cursor, "def")).isEqualTo(TrackerCursor.read(null, "def"));
    assertThat(TrackerCursor.mark("a", "b")).isNotEqualTo(TrackerCursor.mark("b", "a"));
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(
      strings = {
        "",
        "sha256:00",
        "2026-99-99T00:00:00Z;query=abc",
        "2026-11-20T10:00:00Z;query=abc;began=yesterday"
      })
  void textOfAnotherShapeStartsFromTheBeginning(@Nullable String cursor) {
    assertThat(TrackerCursor.read(cursor, "abc")).isEqualTo(TrackerCursor.read(null, "abc"));
  }
}
