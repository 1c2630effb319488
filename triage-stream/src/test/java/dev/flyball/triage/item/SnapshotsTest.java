package dev.flyball.triage.item;

import static dev.flyball.contract.event.EventType.*;
import static dev.flyball.triage.item.ItemStory.closed;
import static dev.flyball.triage.item.ItemStory.snapshot;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.triage.item.Input.SessionRef;
import dev.flyball.triage.item.MachineSettings.OnNewer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("MC-5, S0-46, INV-3, INV-4: what a snapshot does")
final class SnapshotsTest {
  private final ItemStory story = new ItemStory();

  @Test
  void aNewItemIsAskedAbout() {
    story.seen(snapshot("a"));
    assertThat(story.lastTypes()).containsExactly(ITEM_CHANGED);
    assertThat(story.last()).hasAtLeastOneElementOfType(TriageEffect.Ask.class);
    assertThat(story.phase()).isInstanceOf(ItemPhase.Triaging.class);
  }

  @Test
  void aKnownFingerprintCostsNothingInAnyPhase() {
    story.seen(snapshot("a"));
    duplicateChangesNothing();
    story.verdict(true);
    duplicateChangesNothing();
    SessionRef session = story.claimed();
    duplicateChangesNothing();
    story.result(session).released(session, Outcome.COMPLETED, "done");
    duplicateChangesNothing();
  }

  private void duplicateChangesNothing() {
    ItemPhase before = story.phase();
    story.seen(snapshot("a", "another revision", 1, false, true));
    assertThat(story.phase()).isEqualTo(before);
    assertThat(story.last()).hasSize(1);
    assertThat(story.lastTypes()).containsExactly(ITEM_DUPLICATE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "triaging",
        "skipped",
        "queued",
        "running",
        "analyzed",
        "failed",
        "dead",
        "cancelled",
        "closed"
      })
  void theKnownSnapshotAgainWritesNoStateAndIsDecidedWithoutReadingIt(String phase) {
    story.brought(phase);
    Item before = story.item();
    Snapshot known = story.known().snapshot();
    var origin = new InputPosition("flyball.work-items", 0, 500, 1_000);

    story.after(Duration.ofMinutes(1)).step(new Input.SnapshotSeen(origin, known));

    assertThat(story.item()).isEqualTo(before);
    assertThat(story.lastTypes()).containsExactly(ITEM_DUPLICATE);
    var repeat = new Repeat(story.phase(), known.revision(), known.title(), known.closed());
    assertThat(ItemMachine.repeated(ItemStory.KEY, origin, repeat, story.now()))
        .isEqualTo(story.last());
  }

  @Test
  void whetherAClosedItemIsReopenedOnlyTheWholeItemTells() {
    story.brought("closed");
    var repeat = new Repeat(story.phase(), "a", "Title", false);
    assertThat(ItemMachine.repeated(ItemStory.KEY, story.origin("work-items"), repeat, story.now()))
        .isEmpty();
  }

  @Test
  void theWaitingSnapshotAgainWritesNoState() {
    story.brought("running").seen(snapshot("b"));
    Item before = story.item();
    story.seen(snapshot("b"));
    assertThat(story.item()).isEqualTo(before);
    assertThat(story.lastTypes()).containsExactly(ITEM_DUPLICATE);
  }

  @Test
  void aNewFingerprintVersionOfTheSameRevisionIsAdopted() {
    story.seen(snapshot("a")).verdict(false).seen(snapshot("a", "a", 2, false, true));
    assertThat(story.lastTypes()).containsExactly(ITEM_DUPLICATE);
    assertThat(story.known().snapshot().fingerprint().version()).isEqualTo("2:text");
    story.seen(snapshot("a", "b", 2, false, true));
    assertThat(story.lastTypes()).containsExactly(ITEM_DUPLICATE);
    story.seen(snapshot("b", "c", 2, false, true));
    assertThat(story.lastTypes()).containsExactly(ITEM_CHANGED);
  }

  @Test
  void aLabelThatChangedBeforeItsFieldWasDroppedIsNoChange() {
    String before = "1:state,tags,text,title,type";
    String after = "1:text,title,type";
    story.seen(labelled("1", "old label", "text", before)).verdict(false);
    story.seen(labelled("2", "new label", "text", after));
    assertThat(story.lastTypes()).containsExactly(ITEM_DUPLICATE);
    assertThat(story.known().snapshot().fingerprint().version()).isEqualTo(after);
    story.seen(labelled("3", "new label", "text", before)).seen(labelled("4", "x", "other", after));
    assertThat(story.lastTypes()).containsExactly(ITEM_CHANGED);
  }

  @ParameterizedTest
  @CsvSource({
    "'2:text,title,type', '2:comments,text,title,type'",
    "'2:comments,text,title,type', '2:text,title,type'",
    "'2:text,title,type', '2:text,title'",
    "'1:text,title,type', '2:text,title,type'",
  })
  void anotherListOfFieldsCostsNoSessionForALabelOrAComment(String before, String after) {
    story.seen(labelled("1", "old label", "text", before)).verdict(false);
    story.seen(labelled("2", "new label", commented("text", "Since 2.1."), after));
    assertThat(story.lastTypes()).containsExactly(ITEM_DUPLICATE);
    story.seen(labelled("3", "new label", commented("other", "Since 2.1."), before));
    assertThat(story.lastTypes()).containsExactly(ITEM_CHANGED);
  }

  @Test
  void aDescriptionThatRepeatsTheHeadingOfCommentsIsCompared() {
    String forged = commented("text", "forged");
    story.seen(labelled("1", "x", commented(forged, "a"), "1:text")).verdict(false);
    story.seen(labelled("2", "x", commented(commented("text", "edited"), "a"), "2:text"));
    assertThat(story.lastTypes()).containsExactly(ITEM_CHANGED);
  }

  private static String commented(String description, String comment) {
    return description + "\n\n" + Snapshot.COMMENTS + "\n\nann:\n  " + comment;
  }

  private static Snapshot labelled(String revision, String label, String text, String version) {
    Snapshot made = snapshot(text, revision, 1, false, true);
    return ItemStory.with(made, List.of(label), new Fingerprint(version, label + text), null);
  }

  @Test
  void textCleanedByNewRulesIsNoChangeUntilItsWordsAre() {
    story.seen(labelled("1", "x", "2 of H2O\n\nis out", "1:text")).verdict(false);
    story.seen(labelled("2", "x", "## 2^ of H_2O\n\n> is ~~out~~", "2:text"));
    assertThat(story.lastTypes()).containsExactly(ITEM_DUPLICATE);
    assertThat(story.known().snapshot().text()).isEqualTo("## 2^ of H_2O\n\n> is ~~out~~");
    story.seen(labelled("3", "x", "## 2^ of H_2O\n\n> is out", "2:text"));
    assertThat(story.lastTypes()).containsExactly(ITEM_CHANGED);
  }

  @Test
  void olderSnapshotsOfAPollEndSupersededWithoutACall() {
    story.seen(snapshot("a", "1", 1, false, false));
    assertThat(story.lastTypes()).containsExactly(ITEM_CHANGED, ITEM_SUPERSEDED);
    assertThat(story.item().state()).isNull();
    story.seen(snapshot("b", "2", 1, false, true));
    assertThat(story.all().stream().filter(TriageEffect.Ask.class::isInstance)).hasSize(1);
  }

  // T9
  @Test
  void aNewerSnapshotReplacesAWaitingRequest() {
    story.queued("a").seen(snapshot("b"));
    assertThat(story.lastTypes()).containsExactly(ITEM_CHANGED, ITEM_SUPERSEDED);
    assertThat(story.standing()).isNull();
    story.verdict(true);
    assertThat(story.request().snapshot().text()).isEqualTo("b");
  }

  @Test
  void anAnswerToAnOlderQuestionIsIgnored() {
    story.seen(snapshot("a"));
    String old = ((ItemPhase.Triaging) story.phase()).triage();
    story.seen(snapshot("b")).verdict(old, true);
    assertThat(story.phase()).isInstanceOf(ItemPhase.Triaging.class);
    assertThat(story.last()).isEmpty();
  }

  @Test
  void aNewerSnapshotWaitsForARunningSession() {
    story.queued("a");
    SessionRef session = story.claimed();
    story.seen(snapshot("b"));
    assertThat(story.standing()).isNotNull();
    story.seen(snapshot("c"));
    assertThat(story.lastTypes()).containsExactly(ITEM_SUPERSEDED, ITEM_CHANGED);
    story.result(session).released(session, Outcome.COMPLETED, "done");
    assertThat(story.count(SESSION_COMPLETED)).isEqualTo(1);
    assertThat(story.phase()).isInstanceOf(ItemPhase.Triaging.class);
    assertThat(story.known().snapshot().text()).isEqualTo("c");
    assertThat(story.last())
        .filteredOn(TriageEffect.Publish.class::isInstance)
        .singleElement()
        .extracting(e -> ((TriageEffect.Publish) e).analysis().revision())
        .isEqualTo("a");
  }

  @Test
  void byPolicyANewerSnapshotEndsTheRunningSession() {
    var cancelling = new ItemStory(cancelOnNewer());
    cancelling.queued("a");
    SessionRef session = cancelling.claimed();
    cancelling.seen(snapshot("b"));
    assertThat(cancelling.standing()).isNull();
    cancelling.released(session, Outcome.CANCELLED, "request gone");
    assertThat(cancelling.lastTypes()).containsExactly(SESSION_CANCELLED, ITEM_SUPERSEDED);
    assertThat(cancelling.phase()).isInstanceOf(ItemPhase.Triaging.class);
  }

  @Test
  void contentThatComesBackWhileItsSessionRunsDropsWhatWaits() {
    story.queued("a");
    SessionRef session = story.claimed();
    story.seen(snapshot("b")).seen(snapshot("a", "again", 1, false, true));
    assertThat(story.lastTypes()).containsExactly(ITEM_SUPERSEDED, ITEM_DUPLICATE);
    story.result(session).released(session, Outcome.COMPLETED, "done");
    assertThat(story.phase()).isInstanceOf(ItemPhase.Analyzed.class);
  }

  @Test
  void aClosedItemIsNeverAskedAbout() {
    story.seen(closed("a"));
    assertThat(story.lastTypes()).containsExactly(ITEM_CHANGED, ITEM_CLOSED);
    assertThat(story.all()).noneMatch(TriageEffect.Ask.class::isInstance);
  }

  @Test
  void closingWithdrawsAWaitingRequest() {
    story.queued("a").seen(closed("a, done"));
    assertThat(story.lastTypes()).containsExactly(ITEM_CHANGED, ITEM_SUPERSEDED, ITEM_CLOSED);
    assertThat(story.standing()).isNull();
    assertThat(story.phase()).isInstanceOf(ItemPhase.Closed.class);
  }

  @Test
  void closingEndsARunningSessionAndTheItemIsClosedAfterIt() {
    story.queued("a");
    SessionRef session = story.claimed();
    story.seen(closed("a, done"));
    assertThat(story.standing()).isNull();
    assertThat(story.phase()).isInstanceOf(ItemPhase.Running.class);
    story.released(session, Outcome.CANCELLED, "request gone");
    assertThat(story.lastTypes()).containsExactly(SESSION_CANCELLED, ITEM_SUPERSEDED, ITEM_CLOSED);
  }

  @Test
  void closingCountsAlsoWhereTheFingerprintDoesNotCoverIt() {
    story.queued("a").seen(closed("a"));
    assertThat(story.lastTypes()).containsExactly(ITEM_DUPLICATE, ITEM_CLOSED);
    assertThat(story.standing()).isNull();
    story.seen(snapshot("a"));
    assertThat(story.phase()).isInstanceOf(ItemPhase.Triaging.class);
  }

  @Test
  void reopenedWhileItsSessionIsBeingEndedItGetsAnotherOne() {
    story.queued("a");
    SessionRef session = story.claimed();
    story.seen(closed("a")).seen(snapshot("a", "reopened", 1, false, true));
    story.released(session, Outcome.CANCELLED, "request gone");
    assertThat(story.phase()).isInstanceOf(ItemPhase.Queued.class);
    assertThat(story.request().attempt()).isEqualTo(2);
  }

  @Test
  void anEditThatTheFingerprintLeavesOutCostsNothing() {
    story.seen(snapshot("a")).verdict(false);
    Snapshot a = snapshot("a", "edited", 1, false, true);

    story.seen(
        new Snapshot(
            a.revision(),
            "Another title",
            a.text(),
            a.state(),
            false,
            a.type(),
            1,
            List.of("search"),
            null,
            a.changedAt(),
            "ada",
            true,
            a.fingerprint(),
            null,
            null));

    assertThat(story.lastTypes()).containsExactly(ITEM_DUPLICATE);
    assertThat(story.phase()).isInstanceOf(ItemPhase.Skipped.class);
  }

  @Test
  void olderSnapshotsOfAPollOfAKnownItemEndSupersededWithoutACall() {
    story.seen(snapshot("a")).verdict(false);
    long asked = asked();

    story.seen(snapshot("b", "b", 1, false, false));

    assertThat(story.lastTypes()).containsExactly(ITEM_CHANGED, ITEM_SUPERSEDED);
    assertThat(asked()).isEqualTo(asked);
    assertThat(story.known().snapshot().text()).isEqualTo("a");
  }

  @Test
  void closedWithTheContentThatItsSessionReadsAnItemIsClosedAfterIt() {
    story.queued("a");
    SessionRef session = story.claimed();

    story.seen(closed("a")).released(session, Outcome.CANCELLED, "request gone");

    assertThat(story.phase()).isInstanceOf(ItemPhase.Closed.class);
    assertThat(story.standing()).isNull();
  }

  @Test
  void contentThatComesBackWhileItsSessionIsCancelledGetsAnotherSession() {
    var cancelling = new ItemStory(cancelOnNewer());
    cancelling.queued("a");
    SessionRef session = cancelling.claimed();
    cancelling.seen(snapshot("b")).seen(snapshot("a", "again", 1, false, true));

    cancelling.released(session, Outcome.CANCELLED, "request gone");

    assertThat(cancelling.phase()).isInstanceOf(ItemPhase.Queued.class);
    assertThat(cancelling.request().snapshot().text()).isEqualTo("a");
  }

  @Test
  void closedBehindAnotherEditARunningItemIsClosedAllTheSame() {
    story.queued("a");
    SessionRef session = story.claimed();

    story.seen(snapshot("b")).seen(snapshot("a", "done", 1, true, true));

    assertThat(story.standing()).isNull();
    story.released(session, Outcome.CANCELLED, "request gone");
    assertThat(story.phase()).isInstanceOf(ItemPhase.Closed.class);
  }

  @Test
  void closingIsSeenOfAnItemThatIsDoneAndReopeningAsksAgain() {
    SessionRef session = story.queued("a").claimed();
    story.result(session).released(session, Outcome.COMPLETED, "done");

    story.seen(closed("a"));
    assertThat(story.lastTypes()).containsExactly(ITEM_CHANGED, ITEM_CLOSED);
    assertThat(story.phase()).isInstanceOf(ItemPhase.Closed.class);

    story.seen(snapshot("a", "reopened", 1, false, true));
    assertThat(story.lastTypes()).containsExactly(ITEM_CHANGED);
    assertThat(story.phase()).isInstanceOf(ItemPhase.Triaging.class);
  }

  @Test
  void aClosedItemThatIsPolledAgainStaysClosedSilently() {
    story.seen(closed("a")).seen(snapshot("a", "later", 1, true, true));

    assertThat(story.lastTypes()).containsExactly(ITEM_DUPLICATE);
  }

  @Test
  void theAnalysisNamesTheRevisionThatItsSessionReadThoughANewerOneHasTheSameContent() {
    story.queued("a");
    SessionRef session = story.claimed();

    story.seen(snapshot("a", "newer", 1, false, true)).result(session);
    story.released(session, Outcome.COMPLETED, "done");

    assertThat(story.last())
        .filteredOn(TriageEffect.Publish.class::isInstance)
        .singleElement()
        .extracting(e -> ((TriageEffect.Publish) e).analysis().revision())
        .isEqualTo("a");
  }

  private long asked() {
    return story.all().stream().filter(TriageEffect.Ask.class::isInstance).count();
  }

  private static MachineSettings cancelOnNewer() {
    return new MachineSettings(
        RetryLimits.defaults(),
        OnNewer.CANCEL,
        Routing.NONE,
        Duration.ofHours(1),
        ItemBudget.NONE,
        ReuseLimits.DEFAULT);
  }
}
