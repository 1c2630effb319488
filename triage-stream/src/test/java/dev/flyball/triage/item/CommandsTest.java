package dev.flyball.triage.item;

import static dev.flyball.contract.event.EventType.*;
import static dev.flyball.triage.item.ItemStory.snapshot;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.topic.Position;
import dev.flyball.triage.item.Input.SessionRef;
import dev.flyball.triage.item.MachineSettings.OnNewer;
import java.time.Instant;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("What an operator's command does, by the item's state (INV-2, INV-3)")
final class CommandsTest {
  private final ItemStory story = new ItemStory();

  @ParameterizedTest(name = "{0} of a {1} item: {2}")
  @CsvSource({
    "cancel, triaging,  cancelled",
    "cancel, queued,    cancelled",
    "cancel, running,   cancelled",
    "cancel, failed,    cancelled",
    "skip,   triaging,  skipped",
    "skip,   queued,    skipped",
    "skip,   running,   skipped",
    "skip,   failed,    skipped",
    "retry,  skipped,   queued",
    "retry,  analyzed,  queued",
    "retry,  failed,    queued",
    "retry,  dead,      queued",
    "retry,  cancelled, queued",
    "forget, triaging,  unknown",
    "forget, queued,    unknown",
    "forget, running,   unknown",
    "forget, failed,    unknown",
    "forget, skipped,   unknown",
    "forget, analyzed,  unknown",
    "forget, dead,      unknown",
    "forget, cancelled, unknown",
    "forget, closed,    unknown",
  })
  void aPossibleCommandTakesEffectAtOnce(String word, String before, String after) {
    story.brought(before).command(word);
    LifecycleEvent done = answer();
    assertThat(done.type()).isEqualTo(COMMAND_DONE);
    assertThat(done.type().required()).allMatch(done.data()::has);
    assertThat(done.data().text(Field.BEFORE)).hasValue(before);
    assertThat(done.data().text(Field.AFTER)).hasValue(after);
    assertThat(stands()).isEqualTo(after);
    assertThat(story.standing() != null).isEqualTo(after.equals("queued"));
  }

  @ParameterizedTest(name = "{0} of a {1} item: {2}")
  @CsvSource({
    "cancel, unknown,   the item is unknown",
    "cancel, skipped,   it is skipped already",
    "cancel, analyzed,  it is analyzed already",
    "cancel, dead,      it is dead already",
    "cancel, cancelled, it is cancelled already",
    "cancel, closed,    it is closed already",
    "skip,   unknown,   the item is unknown",
    "skip,   skipped,   it is skipped already",
    "skip,   analyzed,  it is analyzed already",
    "skip,   dead,      it is dead already",
    "skip,   cancelled, it is cancelled already",
    "skip,   closed,    it is closed already",
    "retry,  unknown,   the item is unknown",
    "retry,  triaging,  it already waits for its verdict",
    "retry,  queued,    its request already waits",
    "retry,  running,   its session s1 runs; cancel it first",
    "retry,  closed,    it is closed; reopen it in its tracker",
    "forget, unknown,   the item is unknown",
  })
  void anImpossibleOneIsRefusedWithItsReasonAndChangesNothing(
      String word, String before, String why) {
    story.brought(before);
    Item untouched = story.item();
    story.command(word);
    assertThat(story.last()).hasSize(1);
    LifecycleEvent refused = answer();
    assertThat(refused.type()).isEqualTo(COMMAND_REFUSED);
    assertThat(refused.type().required()).allMatch(refused.data()::has);
    assertThat(refused.data().text(Field.REASON)).hasValue(why);
    assertThat(refused.data().text(Field.BEFORE)).hasValue(before);
    assertThat(story.item()).isEqualTo(untouched);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cancel", "skip", "forget"})
  void aSessionThatIsNoLongerWantedGetsItsTerminalAndNothingFollowsIt(String word) {
    story.queued("a");
    SessionRef session = story.claimed();
    story.command(word);
    String after = stands();
    assertThat(answer().data().text(Field.SESSION)).hasValue("s1");
    story.released(session, Outcome.CANCELLED, "withdrawn");
    assertThat(story.lastTypes()).containsExactly(SESSION_CANCELLED);
    assertThat(stands()).isEqualTo(after);
  }

  @ParameterizedTest
  @ValueSource(strings = {"FAILED", "LOST", "INTERRUPTED", "TIMED_OUT", "COMPLETED"})
  void howeverACancelledSessionEndsItsItemStaysCancelled(Outcome outcome) {
    story.queued("a");
    SessionRef session = story.claimed();
    story.command("cancel").result(session).released(session, outcome, "because");
    assertThat(stands()).isEqualTo("cancelled");
    assertThat(story.standing()).isNull();
    assertThat(story.all()).noneMatch(TriageEffect.Publish.class::isInstance);
  }

  @Test
  void cancellingEndsTheWaitingSnapshotTooAndEachHasItsOneEnd() {
    story.brought("running").seen(snapshot("b")).command("cancel");
    assertThat(story.lastTypes()).containsExactly(ITEM_SUPERSEDED, ITEM_CANCELLED, COMMAND_DONE);
    assertThat(story.known().snapshot().text()).isEqualTo("b");
    story.seen(snapshot("b"));
    assertThat(story.lastTypes())
        .as("cancelled content costs nothing")
        .containsExactly(ITEM_DUPLICATE);
    story.seen(snapshot("c"));
    assertThat(stands()).as("what comes later is new").isEqualTo("triaging");
  }

  @Test
  void aSessionIsCancelledByItsIdOnlyWhileItIsTheOneThatRuns() {
    story.brought("running").command(cancelOf("s7"));
    assertThat(answer().type()).isEqualTo(COMMAND_REFUSED);
    assertThat(stands()).isEqualTo("running");
    story.command(cancelOf("s1"));
    assertThat(stands()).isEqualTo("cancelled");
  }

  @Test
  void anAnswerToTheQuestionOfACancelledItemIsIgnored() {
    story.brought("triaging").command("cancel").verdict(true);
    assertThat(stands()).isEqualTo("cancelled");
    assertThat(story.standing()).isNull();
  }

  @Test
  void aSkippedItemSaysThatTheOperatorDidIt() {
    story.brought("queued").command("skip");
    assertThat(story.phase()).isEqualTo(new ItemPhase.Skipped("operator: not now"));
    assertThat(story.event(ITEM_SKIPPED).data().text(Field.REASON)).hasValue("operator: not now");
  }

  @Test
  void aRetriedItemHasAllItsAttemptsAheadOfIt() {
    story.queued("a");
    for (int failures = 1; failures < 3; failures++) {
      story.session(Outcome.FAILED, "exit 1").due();
    }
    story.session(Outcome.FAILED, "exit 1").command("retry");
    assertThat(story.request().attempt()).isEqualTo(1);
    for (int failures = 1; failures < 3; failures++) {
      story.session(Outcome.FAILED, "exit 1").due();
    }
    assertThat(stands()).isEqualTo("queued");
    assertThat(story.session(Outcome.FAILED, "exit 1").phase()).isInstanceOf(ItemPhase.Dead.class);
  }

  @Test
  void aRetriesRequestHasANameThatNoneHadBefore() {
    story.brought("dead").command("retry");
    String first = story.request().request();
    story.session(Outcome.COMPLETED, "done").command("retry");
    assertThat(story.request().request()).isNotEqualTo(first);
    assertThat(
            story.all().stream()
                .filter(TriageEffect.Request.class::isInstance)
                .map(e -> ((TriageEffect.Request) e).request().request()))
        .hasSize(3)
        .doesNotHaveDuplicates();
  }

  @Test
  void whatAnItemMayCostInItsLifetimeHoldsForOperatorsToo() {
    var poor =
        new ItemStory(ItemStory.settings(OnNewer.FINISH, Routing.NONE, new ItemBudget(7, 0)));
    poor.brought("dead").command("retry");
    assertThat(poor.lastTypes()).containsExactly(COMMAND_REFUSED);
    assertThat(ItemStory.events(poor.last()).getLast().data().text(Field.REASON).orElseThrow())
        .startsWith("item budget: ");
    assertThat(poor.requeue(snapshot("a")).lastTypes()).containsExactly(COMMAND_REFUSED);
    assertThat(poor.command("forget").lastTypes()).endsWith(COMMAND_DONE);
  }

  @Test
  void aRedeliveryIsLeftToWriteBack() {
    Item before = story.brought("analyzed").item();
    assertThat(story.command("redeliver").last()).isEmpty();
    assertThat(story.item()).isEqualTo(before);
  }

  @Test
  void aRetryOverrulesAClassifierThatSawNoNeed() {
    story.brought("skipped").command("retry");
    assertThat(story.request().verdict().needsDeepAnalysis()).isTrue();
    assertThat(story.request().verdict().model()).isEqualTo("operator");
  }

  @Test
  void aRetryOfASettledItemBeginsAndEndsAgain() {
    story.brought("analyzed").command("retry");
    assertThat(story.lastTypes()).containsExactly(ITEM_REOPENED, SESSION_REQUESTED, COMMAND_DONE);
    story.session(Outcome.COMPLETED, "done");
    assertThat(stands()).isEqualTo("analyzed");
  }

  @Test
  void aRetryOfAFailedItemNeedNotWaitForItsDueTime() {
    story.brought("failed").command("retry");
    assertThat(story.lastTypes()).containsExactly(SESSION_REQUESTED, COMMAND_DONE);
    assertThat(story.phase().dueAt()).isEmpty();
  }

  @Test
  void theOldSessionsEndDoesNotDisturbARetryAfterACancel() {
    story.queued("a");
    SessionRef old = story.claimed();
    story.command("cancel").command("retry").released(old, Outcome.CANCELLED, "replaced");
    assertThat(stands()).isEqualTo("queued");
    assertThat(story.standing()).isNotNull();
    story.session(Outcome.COMPLETED, "done");
    assertThat(stands()).isEqualTo("analyzed");
  }

  @Test
  void aForgottenItemsNextSnapshotIsThatOfANewItem() {
    story.brought("analyzed").command("forget").seen(snapshot("a"));
    assertThat(story.lastTypes()).containsExactly(ITEM_CHANGED);
    assertThat(stands()).isEqualTo("triaging");
  }

  @Test
  void whatWasUnsettledIsCancelledBeforeItIsForgotten() {
    story.brought("queued").command("forget");
    assertThat(story.lastTypes()).containsExactly(ITEM_CANCELLED, ITEM_FORGOTTEN, COMMAND_DONE);
    assertThat(story.item().state()).isNull();
  }

  @ParameterizedTest
  @CsvSource({"cancel, queued", "skip, queued", "retry, dead", "forget, queued"})
  void aCommandThatComesTwiceTakesEffectOnce(String word, String before) {
    story.brought(before).command(word, "same");
    if (story.item().state() == null) {
      story.seen(snapshot("a"));
    }
    Item once = story.item();
    story.command(word, "same");
    assertThat(answer().type()).isEqualTo(COMMAND_REFUSED);
    assertThat(story.item()).isEqualTo(once);
  }

  @Test
  void aRequeuedDeadItemGoesThroughTriageAgain() {
    story.brought("dead").requeue(snapshot("a"));
    assertThat(story.lastTypes()).containsExactly(ITEM_REOPENED, COMMAND_DONE);
    assertThat(stands()).isEqualTo("triaging");
    story.verdict(true).session(Outcome.COMPLETED, "done");
    assertThat(stands()).isEqualTo("analyzed");
  }

  @Test
  void aRequeuedSnapshotOfAnUnknownItemIsTakenInWhereItStood() {
    story.requeue(snapshot("a"));
    assertThat(story.lastTypes()).containsExactly(ITEM_CHANGED, COMMAND_DONE);
    assertThat(story.known().at()).isEqualTo(new Position(3, 33));
  }

  @Test
  void aRequeuedSnapshotThatIsNotNewerIsRefusedWhereTheItemIsWell() {
    story.brought("analyzed").requeue(snapshot("a"));
    assertThat(answer().data().text(Field.REASON))
        .hasValue("it is analyzed and knows this snapshot or a newer one");
    // By their times "b" is after "a".
    story.requeue(snapshot("b"));
    assertThat(answer().type()).isEqualTo(COMMAND_DONE);
    story.requeue(snapshot("a"));
    assertThat(answer().type()).isEqualTo(COMMAND_REFUSED);
  }

  private static Command cancelOf(String session) {
    return new Command.Cancel(
        "c-" + session, "ada", Instant.parse("2026-11-21T08:00:00Z"), "", session);
  }

  /** The last event of the last step. */
  private LifecycleEvent answer() {
    return ItemStory.events(story.last()).getLast();
  }

  private String stands() {
    return story.item().state() == null
        ? "unknown"
        : Objects.requireNonNull(story.item().state()).phase().word();
  }
}
