package dev.flyball.triage.classify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.triage.Verdict;
import dev.flyball.testkit.Sample;
import dev.flyball.triage.classify.Classifier.Answer;
import dev.flyball.triage.classify.Classifier.Judgement;
import dev.flyball.triage.classify.Classifier.Question;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("S0-35, INV-4, T14: one verdict an item; poison answers hurt one item")
final class VerdictsTest {
  private static final Classifier FAKE =
      new Classifier() {
        @Override
        public String model() {
          return "fake";
        }

        @Override
        public Answer classify(String call, List<Question> batch) {
          throw new AssertionError("not asked");
        }
      };

  // MC-5
  @Test
  void eachItemOfABatchHasItsVerdictAndItsShare() {
    List<Verdict> verdicts = verdicts(judged(2, 0, 1));
    assertThat(verdicts).extracting(Verdict::triage).containsExactly("t0", "t1", "t2");
    assertThat(verdicts).extracting(Verdict::batch).containsOnly("b");
    assertThat(verdicts).extracting(Verdict::costMicros).containsExactly(34L, 33L, 33L);
  }

  @Test
  void aMissingJudgementFallsBackForItsItemOnly() {
    assertThat(verdicts(judged(0, 2)))
        .extracting(Verdict::model)
        .containsExactly("fake", RulesClassifier.MODEL, "fake");
  }

  private static Answer judged(int... items) {
    return new Answer(
        IntStream.of(items)
            .mapToObj(i -> new Judgement("t" + i, true, 3, List.of(), 1, "because"))
            .toList(),
        100,
        50);
  }

  private static List<Verdict> verdicts(Answer answer) {
    List<Question> batch =
        IntStream.range(0, 3)
            .mapToObj(
                n -> new Question("t" + n, ItemKey.parse("a/b/" + n), Sample.snapshot("Title", "")))
            .toList();
    return answer.verdicts(batch, FAKE, "b");
  }
}
