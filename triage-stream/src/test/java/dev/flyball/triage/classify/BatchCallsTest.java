package dev.flyball.triage.classify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.triage.Verdict;
import dev.flyball.triage.classify.Classifier.Answer;
import dev.flyball.triage.classify.Classifier.Judgement;
import dev.flyball.triage.classify.Classifier.Question;
import dev.flyball.triage.classify.ModelCall.ModelFailure;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("S0-35, INV-4, T14: one call a batch, journaled; poison answers hurt one item at most")
final class BatchCallsTest {
  @TempDir private Path folder = Path.of("");
  private final AtomicInteger calls = new AtomicInteger();

  // MC-5
  @Test
  void aBatchIsOneCall() throws Exception {
    try (CallJournal journal = journal()) {
      CallJournal.Answered answered = calls(journal, this::sound).call(asked(3), 10, 12);
      assertThat(calls).hasValue(1);
      assertThat(answered.entries())
          .extracting(e -> e.verdict().triage())
          .containsExactly("t0", "t1", "t2");
      assertThat(answered.entries())
          .extracting(e -> e.verdict().batch())
          .containsOnly(answered.id());
      assertThat(answered.entries().stream().mapToLong(e -> e.verdict().costMicros()).sum())
          .isEqualTo(100);
      assertThat(answered.entries().stream().mapToLong(CallJournal.Entry::tokens).sum())
          .isEqualTo(50);
    }
  }

  @Test
  void anAnswerThatWasJournaledIsNotAskedForAgainAfterACrash() throws Exception {
    CallJournal.Answered before;
    try (CallJournal journal = journal()) {
      before = calls(journal, this::sound).call(asked(3), 10, 12);
    }
    try (CallJournal journal = journal()) {
      assertThat(journal.answeredAt("T", 10)).contains(before);
      assertThat(journal.answeredAt("T", 11)).isEmpty();
    }
    assertThat(calls).hasValue(1);
  }

  @Test
  void aCallWhoseAnswerWasLostIsRepeatedUnderAnotherId() throws Exception {
    try (CallJournal journal = journal()) {
      String lost = journal.asked("T", 10, 12, List.of("a"), Instant.EPOCH);
      assertThat(journal.answeredAt("T", 10)).isEmpty();
      assertThat(calls(journal, this::sound).call(asked(3), 10, 12).id()).isNotEqualTo(lost);
    }
  }

  @Test
  void aRecreatedTopicsOffsetsAreNotMistaken() throws Exception {
    try (CallJournal journal = journal()) {
      calls(journal, this::sound).call(asked(1), 0, 0);
      assertThat(journal.answeredAt("another", 0)).isEmpty();
    }
  }

  @Test
  void aMissingJudgementFallsBackForItsItemOnly() throws Exception {
    Script poison = batch -> new Answer(List.of(judgement("t0", 3), judgement("t2", 3)), 0, 0);
    try (CallJournal journal = journal()) {
      List<Verdict> verdicts =
          calls(journal, poison).call(asked(3), 0, 2).entries().stream()
              .map(CallJournal.Entry::verdict)
              .toList();
      assertThat(verdicts).extracting(Verdict::triage).containsExactly("t0", "t1", "t2");
      assertThat(verdicts)
          .extracting(Verdict::model)
          .containsExactly("fake", RulesClassifier.MODEL, "fake");
    }
  }

  @Test
  @DisplayName("calls without an answer have ids of their own: each is booked")
  void aCallThatGaveNoAnswerIsToBeBooked() throws Exception {
    Script failing =
        batch -> {
          throw new ModelFailure(ModelFailure.Kind.UNCLEAR, "no model today", null, null);
        };
    try (CallJournal journal = journal()) {
      BatchCalls down = calls(journal, failing);
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> down.call(asked(2), 0, 1))
            .as("rules would hide it")
            .isInstanceOf(ModelFailure.class)
            .hasMessageContaining("no model today");
      }
      assertThat(journal.unbooked())
          .hasSize(3)
          .allSatisfy(call -> assertThat(call.costMicros()).isZero());
      journal.unbooked().forEach(journal::booked);
      assertThat(journal.unbooked()).isEmpty();
      assertThat(calls(journal, this::sound).call(asked(2), 0, 1).id()).startsWith("b0.4-T-");
    }
  }

  @Test
  @DisplayName("another journal on the same topic has other ids: its calls cost money too")
  void aJournalThatWasDeletedDoesNotRepeatItsIds() throws Exception {
    String before;
    try (CallJournal journal = journal()) {
      before = calls(journal, this::sound).call(asked(1), 0, 0).id();
    }
    try (CallJournal journal = CallJournal.open(folder.resolve("other").resolve("classifier.db"))) {
      assertThat(calls(journal, this::sound).call(asked(1), 0, 0).id()).isNotEqualTo(before);
    }
  }

  @Test
  void anInterruptedCallIsOneWhoseCostIsNotKnown() {
    try (CallJournal journal = journal()) {
      BatchCalls interrupted =
          calls(
              journal,
              batch -> {
                throw new InterruptedException();
              });
      assertThatThrownBy(() -> interrupted.call(asked(2), 0, 1))
          .isInstanceOf(IllegalStateException.class);
      assertThat(Thread.interrupted()).isTrue();
      assertThat(journal.unbooked())
          .singleElement()
          .satisfies(lost -> {
            assertThat(lost.tenants()).containsExactly("a", "a");
            assertThat(lost.costMicros()).as("unknown").isNull();
          });
    }
  }

  @Test
  void anUnusableFolderIsSaidInOneLine() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "");
    assertThatThrownBy(() -> CallJournal.open(file.resolve("classifier.db")))
        .hasMessageContaining(file.toString())
        .hasMessageContaining("--data");
  }

  private CallJournal journal() {
    return CallJournal.open(folder.resolve("classifier.db"));
  }

  private interface Script {
    Answer answer(List<Question> batch) throws ModelFailure, InterruptedException;
  }

  private BatchCalls calls(CallJournal journal, Script answer) {
    var classifier =
        new Classifier() {
          @Override
          public String model() {
            return "fake";
          }

          @Override
          public Answer classify(String call, List<Question> batch)
              throws ModelFailure, InterruptedException {
            return answer.answer(batch);
          }
        };
    return new BatchCalls(
        classifier, journal, "T", () -> Instant.EPOCH, _ -> calls.incrementAndGet());
  }

  private Answer sound(List<Question> batch) {
    return new Answer(batch.stream().map(q -> judgement(q.id(), 3)).toList().reversed(), 100, 50);
  }

  private static Judgement judgement(String id, int complexity) {
    return new Judgement(id, true, complexity, List.of(), 1, "because");
  }

  static List<BatchCalls.Asked> asked(int count) {
    return IntStream.range(0, count)
        .mapToObj(n ->
            new BatchCalls.Asked(
                n,
                null,
                new Question("t" + n, ItemKey.parse("a/b/" + n), item("Title", "", "Bug"))))
        .toList();
  }

  static Snapshot item(String title, String text, String type, String... tags) {
    return new Snapshot(
        "1",
        title,
        text,
        "Active",
        false,
        type,
        2,
        List.of(tags),
        null,
        null,
        null,
        true,
        Fingerprint.of(new TreeMap<>()),
        null,
        null);
  }
}
