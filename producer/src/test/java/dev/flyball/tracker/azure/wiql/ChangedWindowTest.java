package dev.flyball.tracker.azure.wiql;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.tracker.azure.wiql.ChangedWindow.Precision;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Windows of changes, to the millisecond or by days. */
class ChangedWindowTest {
  private static final Instant NOW = Instant.parse("2026-02-10T12:00:00Z");

  @ParameterizedTest
  @CsvSource({
    "2026-02-10T00:00:00Z, 2026-02-09",
    "2026-02-10T00:30:00Z, 2026-02-09",
    "2026-02-10T23:59:59.999Z, 2026-02-09",
    "2026-03-01T12:00:00Z, 2026-02-28"
  })
  void daysAreWidenedNeverNarrowed(Instant from, String day) {
    assertThat(ChangedWindow.since(from, Precision.DAY).from()).contains(day);
  }

  @Test
  void aTimeIsAskedToTheMillisecondAndNotLater() {
    assertThat(
            ChangedWindow.since(Instant.parse("2026-02-10T08:00:00.123999Z"), Precision.TIME)
                .from())
        .contains("2026-02-10T08:00:00.123Z");
  }

  @ParameterizedTest
  @EnumSource(Precision.class)
  void halvesMeetWithoutAGap(Precision precision) {
    var whole = ChangedWindow.since(Instant.parse("2026-01-01T00:00:00Z"), precision);

    ChangedWindow older = whole.older(NOW).orElseThrow();
    ChangedWindow newer = whole.newer(NOW).orElseThrow();

    assertThat(older.begin()).isEqualTo(whole.begin());
    assertThat(older.end()).isEqualTo(newer.begin());
    assertThat(newer.end()).as("what changes meanwhile").isNull();
    assertThat(older.from()).isNotEqualTo(older.to());
  }

  @ParameterizedTest
  @EnumSource(Precision.class)
  void theBeginningOfTimeIsNoBound(Precision precision) {
    assertThat(ChangedWindow.since(null, precision).older(NOW).orElseThrow().from()).isEmpty();
  }

  @Test
  void oneMillisecondAndOneDayCannotBeSplit() {
    var instant = new ChangedWindow(Precision.TIME, NOW, NOW.plusMillis(1));
    var day =
        new ChangedWindow(
            Precision.DAY,
            Instant.parse("2026-02-10T00:00:00Z"),
            Instant.parse("2026-02-11T00:00:00Z"));

    assertThat(instant.older(NOW)).isEmpty();
    assertThat(instant.newer(NOW)).isEmpty();
    assertThat(day.older(NOW)).isEmpty();
  }

  @Test
  void aTrackerWhoseClockIsAheadIsStillSplit() {
    var ahead = ChangedWindow.since(NOW.plusSeconds(3600), Precision.TIME);

    assertThat(ahead.older(NOW)).isPresent();
  }
}
