package dev.flyball.triage.item;

import static dev.flyball.contract.event.EventType.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.Exclusion;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.triage.item.Input.SessionRef;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Items that their source's {@code start} and {@code when} exclude, and what includes them. */
final class ExcludedItemsTest {
  private static final Exclusion BEFORE_START = new Exclusion(true, null);
  private static final Exclusion NO_LABEL = new Exclusion(false, "label agent");

  private final ItemStory story = new ItemStory();

  @Test
  void anItemFromBeforeTheStartIsKnownAndSkippedWithoutAQuestion() {
    seen("a", "1", BEFORE_START);

    assertThat(story.phase()).isEqualTo(new ItemPhase.Skipped("before start", BEFORE_START));
    assertThat(story.lastTypes()).containsExactly(ITEM_CHANGED, ITEM_SKIPPED);
    assertThat(story.all()).noneMatch(TriageEffect.Ask.class::isInstance);
  }

  @Test
  void anEditAfterTheStartIsTaken() {
    seen("a", "1", BEFORE_START);

    seen("edited", "2", null);

    assertThat(story.phase()).isInstanceOf(ItemPhase.Triaging.class);
  }

  @Test
  void aColumnMoveOfAnItemFromBeforeTheStartCostsNothing() {
    seen("a", "1", BEFORE_START);

    seen("a", "2", null);

    assertThat(story.phase()).isInstanceOf(ItemPhase.Skipped.class);
    assertThat(story.lastTypes()).containsExactly(ITEM_DUPLICATE);
  }

  @Test
  void anOperatorCanHaveAnItemFromBeforeTheStart() {
    seen("a", "1", BEFORE_START);

    story.command("retry");
    seen("a", "2", null);

    assertThat(story.phase()).isInstanceOf(ItemPhase.Queued.class);
  }

  @Test
  void anItemIsTakenWhenItsLabelAppearsThoughItsContentIsKnown() {
    seen("a", "1", NO_LABEL);
    assertThat(story.phase()).isEqualTo(new ItemPhase.Skipped("needs label agent", NO_LABEL));

    seen("a", "2", null);

    assertThat(story.phase()).isInstanceOf(ItemPhase.Triaging.class);
    assertThat(story.lastTypes()).containsExactly(ITEM_CHANGED);
  }

  @Test
  void aLabelThatGoesAndComesBackDoesNotUndoAnOperatorsSkip() {
    story.queued("a").command("skip");
    ItemPhase skipped = story.phase();

    seen("a", "b", NO_LABEL);
    seen("a", "c", null);

    assertThat(story.phase()).isEqualTo(skipped);
    assertThat(story.lastTypes()).containsExactly(ITEM_DUPLICATE);
  }

  @Test
  void aLabelThatGoesAndComesBackDoesNotUndoAVerdict() {
    seen("a", "1", null);
    story.verdict(false);
    ItemPhase skipped = story.phase();

    seen("a", "2", NO_LABEL);
    seen("a", "3", null);

    assertThat(skipped).isInstanceOf(ItemPhase.Skipped.class);
    assertThat(story.phase()).isEqualTo(skipped);
    assertThat(story.lastTypes()).containsExactly(ITEM_DUPLICATE);
  }

  @Test
  void anOldItemIsTakenWhenItsLabelAppears() {
    seen("a", "1", new Exclusion(true, "label agent"));

    seen("a", "2", null);

    assertThat(story.phase()).isInstanceOf(ItemPhase.Triaging.class);
  }

  @Test
  void anEditWithoutTheLabelIsSkippedAgain() {
    seen("a", "1", NO_LABEL);

    seen("edited", "2", NO_LABEL);

    assertThat(story.phase()).isInstanceOf(ItemPhase.Skipped.class);
    assertThat(story.count(ITEM_SKIPPED)).isEqualTo(2);
  }

  @Test
  void aLabelThatGoesWithdrawsTheWaitingRequest() {
    story.queued("a");

    seen("a", "b", NO_LABEL);

    assertThat(story.standing()).isNull();
    assertThat(story.phase()).isEqualTo(new ItemPhase.Skipped("needs label agent", NO_LABEL));
  }

  @Test
  void aLabelThatGoesEndsTheRunningSessionAndTheItemIsSkipped() {
    SessionRef session = story.queued("a").claimed();
    seen("a", "b", NO_LABEL);
    assertThat(story.standing()).isNull();

    story.released(session, Outcome.CANCELLED, "withdrawn");

    assertThat(story.phase()).isEqualTo(new ItemPhase.Skipped("needs label agent", NO_LABEL));
    assertThat(story.count(ITEM_SKIPPED)).isEqualTo(1);
  }

  @Test
  void anEditThatAlsoTakesTheLabelEndsTheRunningSession() {
    SessionRef session = story.queued("a").claimed();
    seen("edited", "b", NO_LABEL);
    assertThat(story.standing()).isNull();

    story.released(session, Outcome.CANCELLED, "withdrawn");

    assertThat(story.phase()).isEqualTo(new ItemPhase.Skipped("needs label agent", NO_LABEL));
  }

  @Test
  void aLabelThatComesBackWhileTheSessionEndsIsServed() {
    SessionRef session = story.queued("a").claimed();
    seen("a", "b", NO_LABEL);
    seen("a", "c", null);

    story.released(session, Outcome.CANCELLED, "withdrawn");

    assertThat(story.phase()).isInstanceOf(ItemPhase.Queued.class);
  }

  @Test
  void aLabelThatGoesAfterTheAnalysisChangesNothing() {
    story.brought("analyzed");

    seen("a", "b", NO_LABEL);
    seen("a", "c", null);

    assertThat(story.phase()).isInstanceOf(ItemPhase.Analyzed.class);
  }

  @Test
  void aRequestByAnOperatorGoesOnWithoutTheLabel() {
    seen("a", "1", NO_LABEL);
    story.command("retry");

    seen("a", "2", NO_LABEL);

    assertThat(story.phase()).isInstanceOf(ItemPhase.Queued.class);
  }

  @Test
  void closedInTheTrackerIsClosedWhateverItLacks() {
    Snapshot closed = ItemStory.closed("a");
    story.seen(with(closed, NO_LABEL));

    assertThat(story.phase()).isInstanceOf(ItemPhase.Closed.class);
  }

  private void seen(String content, String revision, @Nullable Exclusion exclusion) {
    story.seen(with(ItemStory.snapshot(content, revision, 1, false, true), exclusion));
  }

  private static Snapshot with(Snapshot s, @Nullable Exclusion exclusion) {
    return ItemStory.with(s, s.tags(), s.fingerprint(), exclusion);
  }
}
