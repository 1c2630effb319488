package dev.flyball.tracker.paging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.tracker.paging.ListedSource.ListResult;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChangeToleranceTest {
  private static final Instant T = Instant.parse("2026-11-20T10:00:30.500Z");
  private static final ChangeTolerance TOLERANCE =
      new ChangeTolerance(Duration.ofMinutes(10), Duration.ofMinutes(1));

  @Test
  void withoutAWatermarkEverythingIsRead() {
    assertThat(TOLERANCE.since(TrackerCursor.read(null, "q"))).isEmpty();
    assertThat(TOLERANCE.since(after(TrackerCursor.read(null, "q"), T))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "1970-01-01T00:00:00Z, true",
    "1970-01-01T00:00:00Z, false",
    "1970-01-01T00:10:00Z, false"
  })
  void whatWouldBeginBeforeAllTimeBeginsAtTheBeginning(Instant at, boolean settled) {
    assertThat(TOLERANCE.since(new TrackerCursor(at, "q", settled, null, false))).isEmpty();
  }

  @Test
  void theLastPartLeadsBackToWhenTheFirstBegan() {
    var part = new TrackerCursor(T.plusSeconds(90), "q", false, T, true);

    assertThat(after(part, T.plusSeconds(99)).at()).isEqualTo(T);
  }

  @Test
  void aNewChangeIsReadAgainFromBeforeIt() {
    TrackerCursor cursor =
        after(TrackerCursor.read(null, "q"), T.plusSeconds(60), T.minusSeconds(5), T);

    assertThat(cursor.settled()).isFalse();
    assertThat(TOLERANCE.since(cursor)).contains(T.minus(Duration.ofMinutes(10)));
  }

  @Test
  void whatWasInSightForSureIsNotReadAgain() {
    TrackerCursor unsettled = after(TrackerCursor.read(null, "q"), T.plusSeconds(60), T);

    TrackerCursor settled = after(unsettled, T.plus(Duration.ofMinutes(12)), T);

    assertThat(settled.at()).isEqualTo(T);
    assertThat(TOLERANCE.since(settled))
        .as("the first minute that can be told from it")
        .contains(Instant.parse("2026-11-20T10:01:00Z"));
    assertThat(after(settled, T.plus(Duration.ofDays(1)))).as("stays").isEqualTo(settled);
    assertThat(after(settled, T.plusSeconds(1), T)).as("by a clock set back").isEqualTo(settled);
  }

  @Test
  void itIsNotSettledBeforeTheOverlapIsOver() {
    TrackerCursor cursor = after(TrackerCursor.read(null, "q"), T.plus(Duration.ofMinutes(11)), T);

    assertThat(cursor.settled()).isFalse();
  }

  @Test
  void theWatermarkStaysBehindThePollsBeginning() {
    TrackerCursor cursor = after(TrackerCursor.read(null, "q"), T, T.plusSeconds(30));

    assertThat(cursor).isEqualTo(new TrackerCursor(T, "q", false, null, false));
  }

  /** Holds however the tracker rounds times: neither side, the change's, the query's, or both. */
  @ParameterizedTest
  @CsvSource({"false, false", "true, false", "false, true", "true, true"})
  void whatComesIntoSightLateIsNotMissed(boolean roundsChange, boolean roundsQuery) {
    for (int seed = 0; seed < 500; seed++) {
      var random = new Random(seed);
      var changes = new ArrayList<Late>();
      Instant at = T;
      for (int i = 0; i < 8; i++) {
        at = at.plusSeconds(random.nextInt(3) == 0 ? random.nextInt(3_000) : random.nextInt(90));
        changes.add(new Late(at, at.plusSeconds(random.nextInt(599))));
      }
      var seen = new HashSet<Instant>();
      TrackerCursor cursor = TrackerCursor.read(null, "q");
      for (Instant now = T; now.isBefore(at.plusSeconds(7_200)); ) {
        Instant began = now;
        Instant since = TOLERANCE.since(cursor).orElse(Instant.EPOCH);
        List<Instant> read =
            changes.stream()
                .filter(change -> !change.visible().isAfter(began))
                .map(Late::stamp)
                .filter(
                    stamp -> !rounded(stamp, roundsChange).isBefore(rounded(since, roundsQuery)))
                .toList();
        seen.addAll(read);
        cursor = after(cursor, began, read.toArray(Instant[]::new));
        now = now.plusSeconds(30 + random.nextInt(600));
      }
      assertThat(seen).as("seed %d", seed).containsAll(changes.stream().map(Late::stamp).toList());
      assertThat(cursor.settled()).isTrue();
    }
  }

  private record Late(Instant stamp, Instant visible) {}

  private static Instant rounded(Instant at, boolean rounds) {
    return rounds ? at.truncatedTo(ChronoUnit.MINUTES) : at;
  }

  private static TrackerCursor after(TrackerCursor start, Instant began, Instant... changes) {
    List<ChangedEntry> items =
        List.of(changes).stream().map(at -> ShiftingList.entry(1, at)).toList();
    return TOLERANCE.after(start, new ListResult(items, began, Duration.ZERO, null));
  }
}
