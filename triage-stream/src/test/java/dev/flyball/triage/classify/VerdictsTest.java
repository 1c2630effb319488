package dev.flyball.triage.classify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.triage.Verdict;
import dev.flyball.testkit.Sample;
import dev.flyball.triage.classify.Classifier.Answer;
import dev.flyball.triage.classify.Classifier.Judgement;
import dev.flyball.triage.classify.Classifier.Question;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("S0-35, INV-4, T14: one verdict an item, journaled; poison answers hurt one item")
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

  @TempDir private Path folder = Path.of("");

  // MC-5
  @Test
  void eachItemOfABatchHasItsVerdictAndItsShare() {
    List<CallJournal.Entry> entries = entries(judged(2, 0, 1));
    assertThat(entries).extracting(e -> e.verdict().triage()).containsExactly("t0", "t1", "t2");
    assertThat(entries).extracting(e -> e.verdict().batch()).containsOnly("b");
    assertThat(entries.stream().mapToLong(e -> e.verdict().costMicros()).sum()).isEqualTo(100);
    assertThat(entries.stream().mapToLong(CallJournal.Entry::tokens).sum()).isEqualTo(50);
  }

  @Test
  void aMissingJudgementFallsBackForItsItemOnly() {
    assertThat(entries(judged(0, 2)))
        .extracting(CallJournal.Entry::verdict)
        .extracting(Verdict::model)
        .containsExactly("fake", RulesClassifier.MODEL, "fake");
  }

  @Test
  void anAnswerIsFoundAfterACrashByItsFirstOffsetInItsTopic() {
    CallJournal.Answered before;
    try (CallJournal journal = journal("here")) {
      String lost = asked(journal);
      assertThat(journal.answeredAt("T", 10)).isEmpty();
      before = new CallJournal.Answered(asked(journal), 12, entries(judged(0, 1, 2)));
      assertThat(before.id()).as("a repeated call is another one").isNotEqualTo(lost);
      journal.answered(before, Instant.EPOCH);
    }
    try (CallJournal journal = journal("here")) {
      assertThat(journal.answeredAt("T", 10)).contains(before);
      assertThat(journal.answeredAt("T", 11)).isEmpty();
      assertThat(journal.answeredAt("recreated", 10)).isEmpty();
    }
  }

  @Test
  @DisplayName("calls without an answer have ids of their own: each is booked")
  void aCallThatGaveNoAnswerIsToBeBooked() {
    try (CallJournal journal = journal("here")) {
      List<String> ids = IntStream.range(0, 3).mapToObj(_ -> asked(journal)).toList();
      journal.cost(ids.getFirst(), 0, 0);
      assertThat(journal.unbooked())
          .extracting(CallJournal.Unbooked::id, CallJournal.Unbooked::costMicros)
          .containsExactly(tuple(ids.get(0), 0L), tuple(ids.get(1), null), tuple(ids.get(2), null));
      journal.unbooked().forEach(journal::booked);
      assertThat(journal.unbooked()).isEmpty();
      assertThat(asked(journal)).startsWith("b10.4-T-");
    }
  }

  @Test
  @DisplayName("another journal on the same topic has other ids: its calls cost money too")
  void aJournalThatWasDeletedDoesNotRepeatItsIds() {
    try (CallJournal one = journal("here");
        CallJournal other = journal("other")) {
      assertThat(asked(one)).isNotEqualTo(asked(other));
    }
  }

  private CallJournal journal(String name) {
    return CallJournal.open(folder.resolve(name).resolve("classifier.db"));
  }

  private static String asked(CallJournal journal) {
    return journal.asked("T", 10, 12, List.of("a"), Instant.EPOCH);
  }

  private static Answer judged(int... items) {
    return new Answer(
        IntStream.of(items)
            .mapToObj(i -> new Judgement("t" + i, true, 3, List.of(), 1, "because"))
            .toList(),
        100,
        50);
  }

  private static List<CallJournal.Entry> entries(Answer answer) {
    List<Verdicts.Asked> batch =
        IntStream.range(0, 3)
            .mapToObj(
                n -> new Question("t" + n, ItemKey.parse("a/b/" + n), Sample.snapshot("Title", "")))
            .map(question -> new Verdicts.Asked(0, null, question))
            .toList();
    return Verdicts.of(batch, answer, FAKE, "b");
  }
}
