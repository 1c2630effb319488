package dev.flyball.tracker.azure;

import static dev.flyball.tracker.TestSources.failureOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A window that does not fit is read in parts: nothing is lost, whatever changes meanwhile. */
class BisectionTest {
  private static final Instant NOW = Instant.parse("2026-02-10T12:00:00Z");

  @Test
  void whatFitsIsOneQuery() {
    var tracker = new Tracker(10).with(10, id -> NOW.minusSeconds(id));

    assertThat(tracker.read()).hasSize(10);
    assertThat(tracker.asked).hasSize(1);
  }

  @Test
  void whatDoesNotFitIsReadInPartsTheOldestFirst() {
    var tracker = new Tracker(100).with(1_000, id -> NOW.minus(Duration.ofHours(id)));

    List<Long> all = tracker.read();

    assertThat(all)
        .as("each once, in the order of its change")
        .containsExactlyElementsOf(
            LongStream.rangeClosed(1, 1_000).map(i -> 1_001 - i).boxed().toList());
    assertThat(tracker.asked).as("queries").hasSizeLessThan(60);
  }

  @Test
  void itStopsWhereThereIsEnoughAndGoesOnFromThere() {
    var tracker = new Tracker(100).with(1_000, id -> NOW.minus(Duration.ofHours(id)));
    var bisection = tracker.bisection();

    List<Long> first = bisection.next(150);

    assertThat(first).hasSizeBetween(150, 250);
    assertThat(bisection.done()).isFalse();
    assertThat(bisection.asOf()).isEqualTo(NOW);
    assertThat(bisection.next(Integer.MAX_VALUE)).hasSize(1_000 - first.size());
    assertThat(bisection.done()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void anItemThatChangesBetweenTwoQueriesIsNeverLost(long seed) {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    var tracker =
        new Tracker(50).with(500, id -> NOW.minusSeconds(random.nextLong(10 * 365 * 86_400L)));
    var time = new AtomicLong();
    tracker.between =
        changed -> {
          for (int i = 0; i < 3; i++) {
            changed.put(random.nextLong(1, 501), NOW.plusSeconds(time.incrementAndGet()));
          }
        };

    assertThat(tracker.read())
        .as("seed %d", seed)
        .containsAll(LongStream.rangeClosed(1, 500).boxed().toList());
  }

  @Test
  void aSingleInstantThatDoesNotFitIsAFailureThatSaysSo() {
    var tracker = new Tracker(10).with(11, id -> NOW.minusSeconds(3_600));

    TrackerFailure failure = failureOf(tracker::read);
    assertThat(failure.category()).isEqualTo(TrackerFailure.Category.NOT_FOUND);
    assertThat(failure.reason())
        .isEqualTo(
            "more than 10 (changes from 2026-02-10T11:00:00Z to before"
                + " 2026-02-10T11:00:00.001Z); narrow it");
    assertThat(tracker.asked).hasSizeLessThan(100);
  }

  @Test
  void aTrackerThatTimesOutEachTimeIsAskedAFewTimesOnly() {
    var asked = new ArrayList<ChangedWindow>();
    var bisection =
        new Bisection(
            ChangedWindow.since(null),
            NOW,
            "narrow it",
            window -> {
              asked.add(window);
              return new AzureRest.Found.TooMuch("too slow", true);
            });

    assertThat(failureOf(() -> bisection.next(1)).category())
        .isEqualTo(TrackerFailure.Category.UNREACHABLE);
    assertThat(asked).hasSize(Bisection.MOST_TIMED_OUT + 1);
  }

  @Test
  void aPollOfTooManyPartsIsGivenUp() {
    var tracker = new Tracker(1).with(1_000, id -> NOW.minus(Duration.ofHours(id)));

    assertThatThrownBy(tracker::read).isInstanceOf(SourceFailure.class);
    assertThat(tracker.asked).hasSizeLessThanOrEqualTo(2 * Bisection.MOST_QUERIES);
  }

  /** Holds when each id changed, and answers with at most this many. */
  private static final class Tracker {
    private final Map<Long, Instant> changed = new HashMap<>();
    private final List<ChangedWindow> asked = new ArrayList<>();
    private final int most;
    private Consumer<Map<Long, Instant>> between = all -> {};

    Tracker(int most) {
      this.most = most;
    }

    Tracker with(int count, java.util.function.LongFunction<Instant> when) {
      LongStream.rangeClosed(1, count).forEach(id -> changed.put(id, when.apply(id)));
      return this;
    }

    Bisection bisection() {
      return new Bisection(ChangedWindow.since(null), NOW, "narrow it", this::answer);
    }

    List<Long> read() {
      return bisection().next(Integer.MAX_VALUE);
    }

    private AzureRest.Found answer(ChangedWindow window) {
      asked.add(window);
      List<Long> found =
          changed.entrySet().stream()
              .filter(entry -> in(window, entry.getValue()))
              .sorted(Map.Entry.comparingByValue())
              .map(Map.Entry::getKey)
              .toList();
      between.accept(changed);
      return found.size() > most
          ? new AzureRest.Found.TooMuch("more than " + most, false)
          : new AzureRest.Found.All(found, NOW);
    }

    private static boolean in(ChangedWindow window, Instant at) {
      Instant begin = window.begin();
      Instant end = window.end();
      return (begin == null || !at.isBefore(begin)) && (end == null || at.isBefore(end));
    }
  }
}
