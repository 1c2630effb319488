package dev.flyball.tracker.paging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.tracker.Watermark;
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

class ReachTest {
  private static final Instant T = Instant.parse("2026-11-20T10:00:30.500Z");
  private static final Reach REACH = new Reach(Duration.ofMinutes(10), Duration.ofMinutes(1));

  @Test
  void withoutAWatermarkEverythingIsRead() {
    assertThat(REACH.since(end(Watermark.none("q")))).isEmpty();
    assertThat(REACH.since(end(after(Watermark.none("q"), T)))).isEmpty();
  }

  @Test
  void aNewChangeIsReadAgainFromBeforeIt() {
    Watermark watermark = after(Watermark.none("q"), T.plusSeconds(60), T.minusSeconds(5), T);

    assertThat(watermark.settled()).isFalse();
    assertThat(REACH.since(end(watermark))).contains(T.minus(Duration.ofMinutes(10)));
  }

  @Test
  void whatWasInSightForSureIsNotReadAgain() {
    Watermark unsettled = after(Watermark.none("q"), T.plusSeconds(60), T);

    Watermark settled = after(unsettled, T.plus(Duration.ofMinutes(12)), T);

    assertThat(settled.at()).isEqualTo(T);
    assertThat(REACH.since(end(settled)))
        .as("the first minute that can be told from it")
        .contains(Instant.parse("2026-11-20T10:01:00Z"));
    assertThat(after(settled, T.plus(Duration.ofDays(1)))).as("stays").isEqualTo(settled);
  }

  @Test
  void itIsNotSettledBeforeTheOverlapIsOver() {
    Watermark watermark = after(Watermark.none("q"), T.plus(Duration.ofMinutes(11)), T);

    assertThat(watermark.settled()).isFalse();
  }

  @Test
  void theWatermarkStaysBehindThePollsBeginning() {
    Watermark watermark = after(Watermark.none("q"), T, T.plusSeconds(30));

    assertThat(watermark).isEqualTo(new Watermark(T, "q", false));
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
      Watermark watermark = Watermark.none("q");
      for (Instant now = T; now.isBefore(at.plusSeconds(7_200)); ) {
        Instant began = now;
        Instant since = REACH.since(end(watermark)).orElse(Instant.EPOCH);
        List<Instant> read =
            changes.stream()
                .filter(change -> !change.visible().isAfter(began))
                .map(Late::stamp)
                .filter(
                    stamp -> !rounded(stamp, roundsChange).isBefore(rounded(since, roundsQuery)))
                .toList();
        seen.addAll(read);
        watermark = after(watermark, began, read.toArray(Instant[]::new));
        now = now.plusSeconds(30 + random.nextInt(600));
      }
      assertThat(seen).as("seed %d", seed).containsAll(changes.stream().map(Late::stamp).toList());
      assertThat(watermark.settled()).isTrue();
    }
  }

  private record Late(Instant stamp, Instant visible) {}

  private static Instant rounded(Instant at, boolean rounds) {
    return rounds ? at.truncatedTo(ChronoUnit.MINUTES) : at;
  }

  private static Bookmark end(Watermark watermark) {
    return new Bookmark.End(watermark);
  }

  private static Watermark after(Watermark start, Instant began, Instant... changes) {
    List<ShiftingList.Item> items =
        List.of(changes).stream().map(at -> new ShiftingList.Item(1, at)).toList();
    return ((Bookmark.End) REACH.after(end(start), new Walked.Whole<>(items, began, Duration.ZERO)))
        .watermark();
  }
}
