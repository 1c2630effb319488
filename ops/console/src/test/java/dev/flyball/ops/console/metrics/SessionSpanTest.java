package dev.flyball.ops.console.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.ops.console.metrics.SessionSpan.Mark;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SessionSpanTest {
  private static final long T = 1_000 * SessionSpan.MINUTE;

  @Test
  void aSessionIsThereInEachMinuteUntilItsEnd() {
    SessionSpan.Step claimed = SessionSpan.step(null, fact(MetricFact.CLAIMED, T + 10_000));
    SessionSpan.Step seen =
        SessionSpan.step(claimed.next(), fact(MetricFact.PROGRESSED, T + 130_000));
    SessionSpan.Step ended =
        SessionSpan.step(seen.next(), fact(MetricFact.LEASE_ENDED, T + 200_000));

    assertThat(claimed.marks()).containsExactly(new Mark(T + 10_000, true));
    assertThat(seen.marks())
        .containsExactly(new Mark(T + 60_000, true), new Mark(T + 120_000, true));
    assertThat(ended.marks())
        .containsExactly(new Mark(T + 180_000, true), new Mark(T + 200_000, false));
    assertThat(ended.next()).isNull();
  }

  @Test
  void whatComesBeforeTheClaimOrAfterTheEndChangesNothing() {
    assertThat(SessionSpan.step(null, fact(MetricFact.PROGRESSED, T)).marks()).isEmpty();
    assertThat(SessionSpan.step(null, fact(MetricFact.LEASE_ENDED, T)).next()).isNull();
  }

  @Test
  void aClockThatIsBehindEndsASessionNotBeforeItIsCounted() {
    var open = new SessionSpan("acme", T);

    assertThat(SessionSpan.step(open, fact(MetricFact.LEASE_EXPIRED, T - 90_000)).marks())
        .containsExactly(new Mark(T, false));
  }

  @Test
  void thePeakOfEachMinuteIsExactInWhateverOrderItHears() {
    long seed = Long.getLong("seed", new Random().nextLong());
    var random = new Random(seed);
    for (int round = 0; round < 50; round++) {
      List<long[]> sessions =
          random
              .longs(1 + random.nextInt(40), T, T + 5 * SessionSpan.MINUTE)
              .mapToObj(from -> new long[] {from, from + 1 + random.nextInt(150_000)})
              .toList();
      var marks = new ArrayList<Mark>();
      sessions.forEach(each -> marks.addAll(marks(each[0], each[1])));
      Collections.shuffle(marks, random);
      var minutes = new TreeMap<Long, WindowCount>();
      for (Mark mark : marks) {
        minutes.merge(
            SessionSpan.minute(mark.at()),
            WindowCount.EMPTY.marked(mark),
            (before, first) -> before.marked(mark));
      }
      minutes.forEach((start, count) ->
          assertThat(peak(count))
              .as("minute %d, seed %d", start, seed)
              .isEqualTo(truePeak(sessions, start)));
    }
  }

  @Test
  void aMinuteOfVeryManySessionsIsCoarseAndNeverAboveTheTruth() {
    var forward = new ArrayList<Mark>();
    for (long i = 0; i < 2_000; i++) {
      forward.add(new Mark(T + i * 20, true));
      forward.add(new Mark(T + i * 20 + 10_005, false));
    }
    List<Mark> backward = new ArrayList<>(forward);
    Collections.reverse(backward);

    long peak = peak(all(forward));
    assertThat(peak).isBetween(400L, 501L).isEqualTo(peak(all(backward)));
    assertThat(all(forward).concurrency().changes()).hasSizeLessThanOrEqualTo(61);
  }

  private static WindowCount all(List<Mark> marks) {
    WindowCount count = WindowCount.EMPTY;
    for (Mark mark : marks) {
      count = count.marked(mark);
    }
    return count;
  }

  private static List<Mark> marks(long from, long to) {
    SessionSpan.Step begun = SessionSpan.step(null, fact(MetricFact.CLAIMED, from));
    var marks = new ArrayList<>(begun.marks());
    marks.addAll(SessionSpan.step(begun.next(), fact(MetricFact.LEASE_ENDED, to)).marks());
    return marks;
  }

  private static long truePeak(List<long[]> sessions, long start) {
    long peak = 0;
    for (long[] moment : sessions) {
      long at = Math.max(moment[0], start);
      if (at < start + SessionSpan.MINUTE) {
        peak = Math.max(peak, sessions.stream().filter(one -> one[0] <= at && at < one[1]).count());
      }
    }
    return peak;
  }

  private static long peak(WindowCount count) {
    return count.toWindow("1m", java.time.Instant.EPOCH, "acme").concurrencyPeak();
  }

  private static MetricFact fact(String name, long at) {
    return new MetricFact(name, "acme", at, "s1", none(), null, 0, 0, false);
  }

  private static MetricFact.@Nullable End none() {
    return null;
  }
}
