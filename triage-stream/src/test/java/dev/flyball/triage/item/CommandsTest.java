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
import dev.flyball.triage.item.MachineSettings.ItemBudget;
import dev.flyball.triage.item.MachineSettings.OnNewer;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
    assertThat(done.data().text(Field.SESSION))
        .isEqualTo(before.equals("running") ? Optional.of("s1") : Optional.empty());
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
    "requeue:a, analyzed, it is analyzed and knows this snapshot or a newer one",
  })
  void anImpossibleOneIsRefusedWithItsReasonAndChangesNothing(
      String word, String before, String why) {
    story.brought(before);
    Item untouched = story.item();
    story.reads("/" + word);
    assertThat(story.last()).hasSize(1);
    LifecycleEvent refused = answer();
    assertThat(refused.type()).isEqualTo(COMMAND_REFUSED);
    assertThat(refused.type().required()).allMatch(refused.data()::has);
    assertThat(refused.data().text(Field.REASON)).hasValue(why);
    assertThat(refused.data().text(Field.BEFORE)).hasValue(before);
    assertThat(story.item()).isEqualTo(untouched);
  }

  // What is read, by ItemStory.reads, and how it ends, by ItemStory.ends.
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # nothing follows the end of a session that is no longer wanted, however it ends
          a YES CLAIM /cancel CANCELLED  | cancelled                     | cancelled a |
          a YES CLAIM /cancel FAILED     | failed                        | cancelled a |
          a YES CLAIM /cancel LOST       | lost                          | cancelled a |
          a YES CLAIM /cancel INTERRUPTED | interrupted                  | cancelled a |
          a YES CLAIM /cancel TIMED_OUT  | timedOut                      | cancelled a |
          a YES CLAIM /cancel DONE       | completed                     | cancelled a |
          a YES CLAIM /skip CANCELLED    | cancelled                     | skipped a   |
          a YES CLAIM /forget CANCELLED  | cancelled                     | unknown     |
          # nor an answer to its question
          a /cancel YES                  |                               | cancelled a |
          # the waiting snapshot ends too; it costs nothing again, what comes later is new
          a YES CLAIM b /cancel          | superseded cancelled done     | cancelled b |
          a YES CLAIM b /cancel b        | duplicate                     | cancelled b |
          a YES CLAIM b /cancel b c      | changed                       | triaging c  |
          # a retry of what was settled, of what waits for its due time, and after a cancel
          a YES CLAIM DONE /retry        | reopened requested done       | queued a    | a
          a YES CLAIM DONE /retry CLAIM DONE | completed ANALYSIS        | analyzed a  |
          a YES CLAIM FAILED /retry      | requested done                | queued a    | a
          a YES CLAIM /cancel /retry CANCELLED | cancelled               | queued a    | a
          a YES CLAIM /cancel /retry CANCELLED CLAIM DONE | completed ANALYSIS | analyzed a |
          # a forgotten item had its end, and begins as a new one
          a YES /forget                  | cancelled forgotten done      | unknown     |
          a YES CLAIM DONE /forget a     | changed                       | triaging a  |
          # a dead letter goes through triage again; what is not newer changes nothing that is well
          a YES CLAIM POISON /requeue:a  | reopened done                 | triaging a  |
          a YES CLAIM POISON /requeue:a YES CLAIM DONE | completed ANALYSIS | analyzed a |
          a YES CLAIM DONE /requeue:b    | changed done                  | triaging b  |
          a YES CLAIM DONE /requeue:b /requeue:a | refused               | triaging b  |
          # a redelivery is left to write-back
          a YES CLAIM DONE /redeliver    |                               | analyzed a  |
          """)
  void whatFollows(String read, @Nullable String effects, String phase, @Nullable String request) {
    story.reads(read).ends(effects, phase, request);
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
  void theEndOfAnUnwantedSessionSaysWhoWithdrewItAndWhy() {
    SessionRef ref = story.queued("a").claimed();
    story.command("cancel").released(ref, Outcome.CANCELLED, "request was withdrawn");
    assertThat(story.event(SESSION_CANCELLED).data().text(Field.REASON))
        .hasValue("by ada: not now");
    var other = new ItemStory(ItemStory.settings(OnNewer.CANCEL, Routing.NONE, ItemBudget.NONE));
    SessionRef next = other.queued("a").claimed();
    other.seen(snapshot("b")).released(next, Outcome.CANCELLED, "request was withdrawn");
    assertThat(other.event(SESSION_CANCELLED).data().text(Field.REASON))
        .hasValue("a newer change of the item replaces it");
  }

  @Test
  void aSkippedItemSaysThatTheOperatorDidIt() {
    story.brought("queued").command("skip");
    assertThat(story.phase()).isEqualTo(new ItemPhase.Skipped("by ada: not now"));
    assertThat(story.event(ITEM_SKIPPED).data().text(Field.REASON)).hasValue("by ada: not now");
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
  void aRetryOverrulesAClassifierThatSawNoNeed() {
    story.brought("skipped").command("retry");
    assertThat(story.request().verdict().needsDeepAnalysis()).isTrue();
    assertThat(story.request().verdict().model()).isEqualTo("operator");
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
  void aRequeuedSnapshotOfAnUnknownItemIsTakenInWhereItStood() {
    story.requeue(snapshot("a"));
    assertThat(story.lastTypes()).containsExactly(ITEM_CHANGED, COMMAND_DONE);
    assertThat(story.known().at()).isEqualTo(new Position(3, 33));
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
