package dev.flyball.triage.item;

import static dev.flyball.contract.event.EventType.*;
import static dev.flyball.triage.item.ItemStory.snapshot;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.Field;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.triage.Verdict;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Questions to the classifier: when they are asked again, and what their answers cost. */
final class VerdictsTest {
  private final ItemStory story = new ItemStory();

  @Test
  @DisplayName("a question that was passed over is asked again, and uses up none of its item's")
  void aQuestionThatTheClassifierPassedOverIsAskedAgainAndUsesUpNone() {
    story.seen(snapshot("a"));
    for (int hour = 0; hour < 5; hour++) {
      story.due();
    }
    assertThat(story.questions()).hasSize(6);
    assertThat(((ItemPhase.Triaging) story.phase()).asked()).isEqualTo(1);
  }

  @Test
  void anItemThatTriageSkipsSaysWhatDecided() {
    story.seen(snapshot("a"));
    story.verdict(false);

    assertThat(story.event(ITEM_SKIPPED).data().text(Field.MODEL))
        .isEqualTo(story.event(ITEM_TRIAGED).data().text(Field.MODEL))
        .isPresent();
  }

  @Test
  void whileTheClassifierAnswersNothingAnItemWaitsAndIsNotAskedAgain() {
    story.seen(snapshot("a"));
    var question = (ItemPhase.Triaging) story.phase();

    for (int hour = 0; hour < 24; hour++) {
      story.due(0);
      assertThat(story.last()).isEmpty();
    }

    assertThat(story.phase())
        .isEqualTo(
            new ItemPhase.Triaging(
                question.triage(),
                1,
                1,
                question.since(),
                story.now().plus(ItemStory.SETTINGS.patience())));
    story.verdict(question.triage(), true);
    assertThat(story.phase()).isInstanceOf(ItemPhase.Queued.class);
  }

  @Test
  void whileTheClassifierIsDownAnItemWaitsWithTheReasonAndIsToldOnce() {
    story.seen(snapshot("a"));
    var question = (ItemPhase.Triaging) story.phase();

    story.deferredVerdict("down");
    assertThat(((ItemPhase.Triaging) story.phase()).waits()).isEqualTo("down");
    assertThat(story.last())
        .singleElement()
        .isInstanceOfSatisfying(
            TriageEffect.Emit.class, it -> assertThat(it.event().type()).isEqualTo(ITEM_DEFERRED));
    story.deferredVerdict("down");
    assertThat(story.last()).isEmpty();
    story.due(0);
    assertThat(((ItemPhase.Triaging) story.phase()).waits()).isEqualTo("down");
    assertThat(story.questions()).as("a question that waits is not asked again").hasSize(1);
    story.verdict(question.triage(), true);
    assertThat(story.phase()).isInstanceOf(ItemPhase.Queued.class);
  }

  @Test
  void anAnswerToAnEarlierQuestionSaysNothingAboutALaterOne() {
    story.seen(snapshot("a"));
    var question = (ItemPhase.Triaging) story.phase();

    story.due(question.number());
    assertThat(story.questions()).hasSize(1);
    story.due(question.number() + 1);
    assertThat(story.questions()).hasSize(2);
  }

  @Test
  void aClockThatStepsBackMakesNoQuestionLookPassedOver() {
    story.seen(snapshot("a"));
    var first = (ItemPhase.Triaging) story.phase();
    story.after(Duration.ofHours(-2)).seen(snapshot("b"));

    story.due(first.number());
    assertThat(story.questions()).as("the question about b is the later one").hasSize(2);
    story.due(first.number() + 2);
    assertThat(story.questions()).hasSize(3);
  }

  @Test
  void aQuestionThatItsTopicNoLongerHoldsIsAskedAgainAsOftenAsNeeded() {
    story.seen(snapshot("a"));

    for (int week = 1; week <= 5; week++) {
      story.after(Duration.ofDays(7).plusSeconds(1)).due(0);
      assertThat(story.questions()).hasSize(1 + week);
    }
  }

  @Test
  void anAnswersCostIsTheItemsWantedOrNot() {
    story.seen(snapshot("a"));
    String old = story.questions().getLast();
    story.seen(snapshot("b"));

    story.verdict(answer(old, 5)).verdict(answer(story.questions().getLast(), 7));

    assertThat(story.known().spentMicros()).isEqualTo(12);
  }

  @Test
  void aBatchThatIsPublishedAgainCostsNothingMore() {
    story.seen(snapshot("a"));
    String a = story.questions().getLast();
    story.seen(snapshot("b"));
    String b = story.questions().getLast();
    story.seen(snapshot("c"));
    String c = story.questions().getLast();

    for (int times = 0; times < 3; times++) {
      story.verdict(answer(a, 1)).verdict(answer(b, 10)).verdict(answer(c, 100));
    }
    story.seen(snapshot("d")).verdict(answer(c, 100));

    assertThat(story.known().spentMicros()).isEqualTo(111);
  }

  @Test
  void aVerdictForAForgottenItemDoesNothing() {
    story.seen(snapshot("a"));
    String question = story.questions().getLast();
    story.command("forget").verdict(answer(question, 5));

    assertThat(story.last()).isEmpty();
    assertThat(story.item().state()).isNull();
  }

  private static Verdict answer(String question, long costMicros) {
    return new Verdict(question, false, 1, List.of(), 2, "because", "m", "b1", costMicros, null);
  }
}
