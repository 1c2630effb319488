package dev.flyball.triage.classify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.triage.classify.FaultSearch.Then;
import dev.flyball.triage.classify.ModelCall.ModelFailure.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("One item's fault stays with the item, and a model's with the model")
final class FaultSearchTest {
  private static final int ITEMS = 50;

  /** Most calls that a batch with one bad question takes, by how a call with it fails. */
  private static final Map<Kind, Integer> MOST_FOR_ONE =
      Map.of(Kind.BAD_BATCH, 14, Kind.SLOW, 18, Kind.UNCLEAR, 17);

  private final FaultSearch search = new FaultSearch(ITEMS);

  /** The bad questions, and how a call with one of them fails. */
  private final Map<Long, Kind> bad = new TreeMap<>();

  private final List<Long> blamed = new ArrayList<>();
  private final List<Integer> sizes = new ArrayList<>();
  private int mostAtOnce = Integer.MAX_VALUE;
  private Kind tooMany = Kind.BAD_BATCH;
  private boolean down;
  private int calls;
  private int waits;
  private int slow;
  private long front;

  @ParameterizedTest
  @EnumSource(names = {"BAD_BATCH", "SLOW", "UNCLEAR"})
  void oneBadQuestionCostsFewCallsAndIsTheOnlyOneBlamed(Kind kind) {
    for (long at = 0; at < ITEMS; at++) {
      var one = new FaultSearchTest();
      one.bad.put(at, kind);
      one.run(ITEMS);
      assertThat(one.blamed).containsExactly(at);
      assertThat(one.calls)
          .as("calls that find question %s; sizes %s", at, one.sizes)
          .isLessThanOrEqualTo(MOST_FOR_ONE.get(kind));
      assertThat(one.slow)
          .as("calls too slow, for which others wait; question %s; sizes %s", at, one.sizes)
          .isLessThanOrEqualTo(3);
    }
  }

  @RepeatedTest(200)
  @DisplayName("whatever questions fail, all others are answered, by a bounded number of calls")
  void anySubsetFails() {
    long seed = new Random().nextLong();
    var random = new Random(seed);
    int questions = 1 + random.nextInt(400);
    List<Kind> kinds = List.of(Kind.BAD_BATCH, Kind.SLOW, Kind.UNCLEAR);
    for (int i = random.nextInt(8); i > 0; i--) {
      bad.put(random.nextLong(questions), kinds.get(random.nextInt(3)));
    }
    run(questions);
    String story = "seed " + seed + ": " + bad + " of " + questions + ", sizes " + sizes;
    assertThat(blamed).as(story).containsExactlyElementsOf(bad.keySet());
    assertThat(calls).as(story).isLessThanOrEqualTo(questions / ITEMS + 1 + bad.size() * 23);
  }

  @ParameterizedTest
  @CsvSource({"BAD_BATCH, 230", "SLOW, 300"})
  void aBatchThatIsTooLargeBlamesNoQuestionAndTheNextOnesAreSmaller(Kind kind, int most) {
    mostAtOnce = 20;
    tooMany = kind;
    run(2_000);
    assertThat(blamed).isEmpty();
    assertThat(calls).as("calls; 100 at least").isLessThan(most);
  }

  @Test
  void aModelThatFailsEverythingIsWaitedForAndBlamesNoQuestion() {
    down = true;
    for (Kind kind : List.of(Kind.BAD_BATCH, Kind.SLOW, Kind.UNCLEAR)) {
      for (long at = 0; at < ITEMS; at++) {
        bad.put(at, kind);
      }
      calls = 0;
      waits = 0;
      while (waits < 20) {
        step(ITEMS);
      }
      assertThat(calls).as("after the first search one call for each wait").isLessThan(20 + 8);
      down = false;
      bad.clear();
      run(ITEMS);
      assertThat(blamed).isEmpty();
      front = 0;
      down = true;
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"UNAVAILABLE", "REFUSED", "NO_BUDGET"})
  void aModelThatIsClearlyDownIsAskedTheSameAgain(Kind kind) {
    for (int i = 0; i < 10; i++) {
      assertThat(search.failed(kind, ITEMS, ITEMS - 1)).isEqualTo(Then.WAIT);
      assertThat(search.probes()).isFalse();
      assertThat(search.most(0)).isEqualTo(ITEMS);
    }
  }

  @Test
  void suspectsThatAnOperatorRemovedAreSearchedNoLonger() {
    assertThat(search.failed(Kind.BAD_BATCH, ITEMS, ITEMS - 1)).isEqualTo(Then.GO_ON);
    assertThat(search.most(0)).isEqualTo(ITEMS / 2);
    assertThat(search.most(ITEMS)).isEqualTo(ITEMS);
    assertThat(search.searches()).isFalse();
  }

  private void run(long end) {
    while (front < end) {
      step(end);
      assertThat(calls).as("calls so far; sizes " + sizes).isLessThan(10_000);
    }
  }

  /** What the loop does with a queue that holds every question from {@code front} to the end. */
  private void step(long end) {
    calls++;
    if (search.probes()) {
      if (down) {
        waits++;
        search.probeFailed();
      } else if (search.probed()) {
        blamed.add(front++);
      }
      return;
    }
    long last = Math.min(Math.min(search.last(), end - 1), front + search.most(front) - 1);
    int size = (int) (last - front + 1);
    sizes.add(size);
    Kind kind = size > mostAtOnce ? tooMany : null;
    for (long each = front; each <= last && kind == null; each++) {
      kind = bad.get(each);
    }
    if (kind == null) {
      search.answered(size, last);
      front = last + 1;
    } else {
      slow += kind == Kind.SLOW ? 1 : 0;
      waits += search.failed(kind, size, last) == Then.GO_ON ? 0 : 1;
    }
  }
}
