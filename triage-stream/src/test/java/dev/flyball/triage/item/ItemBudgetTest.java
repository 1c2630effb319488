package dev.flyball.triage.item;

import static dev.flyball.contract.event.EventType.ITEM_DEAD_LETTERED;
import static dev.flyball.contract.event.EventType.SESSION_REQUESTED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.triage.item.MachineSettings.ItemBudget;
import dev.flyball.triage.item.MachineSettings.OnNewer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("INV-8: an item that has cost too much over its lifetime gets no further session")
final class ItemBudgetTest {
  /** Each session of a story costs 7 micro-dollars and 70 tokens. */
  private static final long TWO_SESSIONS = 14;

  private static final ItemPhase SPENT =
      new ItemPhase.Dead("item budget: 0.000014 of 0.000014 USD spent over its lifetime");

  private final ItemStory story = storyWith(new ItemBudget(TWO_SESSIONS, 0));

  @Test
  void itsSessionsAddUpWhateverTheirOutcome() {
    ItemStory free = storyWith(ItemBudget.NONE);
    free.queued("a").session(Outcome.FAILED, "exit 1").due().session(Outcome.LOST, "silent");

    assertThat(free.known().spentMicros()).isEqualTo(14);
    assertThat(free.known().spentTokens()).isEqualTo(140);
    assertThat(free.phase()).isInstanceOf(ItemPhase.Queued.class);
  }

  @Test
  void aRetryThatItCannotPayForIsNotWaitedFor() {
    story.queued("a").session(Outcome.FAILED, "exit 1").due();
    story.session(Outcome.FAILED, "exit 2");

    assertThat(story.phase()).isEqualTo(SPENT);
    assertThat(story.standing()).as("its request is withdrawn").isNull();
    assertThat(story.count(ITEM_DEAD_LETTERED)).isEqualTo(1);
    assertThat(story.all().stream().filter(TriageEffect.GiveUp.class::isInstance)).hasSize(1);
  }

  @Test
  void anInterruptionsNewRequestCountsLikeAnyOther() {
    story.queued("a").session(Outcome.INTERRUPTED, "shutdown");
    story.session(Outcome.INTERRUPTED, "shutdown");

    assertThat(story.phase()).isEqualTo(SPENT);
  }

  @Test
  void aNewerSnapshotIsOfTheSameItem() {
    story.queued("a").session(Outcome.FAILED, "exit 1").due().session(Outcome.COMPLETED, "done");
    assertThat(story.phase()).as("however dear it was").isInstanceOf(ItemPhase.Analyzed.class);

    story.seen(ItemStory.snapshot("b")).verdict(true);

    assertThat(story.phase()).isEqualTo(SPENT);
    assertThat(story.count(SESSION_REQUESTED)).isEqualTo(2);
  }

  @Test
  void tokensHaveALimitOfTheirOwn() {
    ItemStory counted = storyWith(new ItemBudget(0, 70));
    counted.queued("a").session(Outcome.FAILED, "exit 1");

    assertThat(counted.phase())
        .isEqualTo(new ItemPhase.Dead("item budget: 70 of 70 tokens spent over its lifetime"));
  }

  private static ItemStory storyWith(ItemBudget budget) {
    return new ItemStory(ItemStory.settings(OnNewer.FINISH, Routing.NONE, budget));
  }
}
