package dev.flyball.triage.classify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.triage.Verdict;
import dev.flyball.triage.classify.ShadowComparison.Compared;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("How two configurations differ over the same snapshots")
final class ShadowComparisonTest {
  private static final List<Compared> SEVEN =
      List.of(
          compared("a/b/7", true, false),
          compared("a/b/1", false, false),
          compared("a/b/2", false, false),
          compared("a/b/3", true, true),
          compared("a/b/4", true, false),
          compared("a/b/5", true, false),
          compared("a/b/6", false, true));

  @Test
  void everySnapshotIsCountedOnce() {
    var found = of(SEVEN);

    assertThat(found.count(false, false)).isEqualTo(2);
    assertThat(found.count(true, true)).isEqualTo(1);
    assertThat(found.count(true, false)).isEqualTo(3);
    assertThat(found.count(false, true)).isEqualTo(1);
  }

  @Test
  void theChangedOnesAreInTheOrderOfTheirItems() {
    assertThat(of(SEVEN).changed())
        .extracting(Compared::item)
        .containsExactly("a/b/4", "a/b/5", "a/b/6", "a/b/7");
  }

  @Test
  void aCallThatAnsweredSeveralIsOneAndItsSharesAddUp() {
    var found = of(SEVEN);

    assertThat(found.decidedCalls()).isEqualTo(2);
    assertThat(found.otherCalls()).isEqualTo(1);
    assertThat(found.decidedMicros()).isEqualTo(70);
    assertThat(found.otherMicros()).isEqualTo(21);
  }

  @Test
  void savedSessionsCostTheMedianOfRealOnes() {
    assertThat(of(SEVEN).sessionsSaved()).isEqualTo(2);
    assertThat(of(SEVEN, 900L, 100L, 300L).savedMicros()).contains(600L);
    assertThat(of(SEVEN, 100L, 300L).savedMicros()).as("the middle of two").contains(400L);
  }

  @Test
  void addedSessionsCountAgainstIt() {
    var found = of(List.of(compared("a/b/1", false, true)), 300L);

    assertThat(found.sessionsSaved()).isEqualTo(-1);
    assertThat(found.savedMicros()).contains(-300L);
  }

  @Test
  void withoutACompletedSessionTheirCostIsUnknown() {
    assertThat(of(SEVEN).savedMicros()).isEmpty();
    assertThat(of(List.of()).savedMicros()).as("nothing saved costs nothing").contains(0L);
  }

  private static ShadowComparison of(List<Compared> compared, Long... sessions) {
    return new ShadowComparison(compared, Map.of(), List.of(sessions));
  }

  private static Compared compared(String item, boolean decided, boolean other) {
    return new Compared(
        item, "1", verdict(decided, decided ? "b1" : "b2", 10), verdict(other, "run-1", 3));
  }

  private static Verdict verdict(boolean deep, String batch, long micros) {
    return new Verdict("t", deep, 1, List.of(), 1, "r", "m", batch, micros, null);
  }
}
