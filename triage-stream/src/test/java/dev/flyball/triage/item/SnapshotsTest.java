package dev.flyball.triage.item;

import static dev.flyball.contract.event.EventType.*;
import static dev.flyball.triage.item.ItemStory.snapshot;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.Exclusion;
import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.testkit.Sample;
import dev.flyball.triage.item.MachineSettings.ItemBudget;
import dev.flyball.triage.item.MachineSettings.OnNewer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("MC-5, S0-46, INV-3, INV-4: what a snapshot does")
final class SnapshotsTest {
  private ItemStory story = new ItemStory();

  // What is read, by ItemStory.reads; then the events of the last step, the phase and the content
  // that it is about, how many questions were asked in all, and the request that waits or runs.
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          # an item, and the same content again in every phase
          a                             | changed                      | triaging a  | 1 |
          a a@r2                        | duplicate                    | triaging a  | 1 |
          a YES a@r2                    | duplicate                    | queued a    | 1 | a
          a YES CLAIM a@r2              | duplicate                    | running a   | 1 | a
          a YES CLAIM DONE a@r2         | duplicate                    | analyzed a  | 1 |
          # older snapshots of a poll
          a@1?                          | changed superseded           | unknown     | 0 |
          a@1? b@2                      | changed                      | triaging b  | 1 |
          a NO b?                       | changed superseded           | skipped a   | 1 |
          # newer content
          a YES b                       | changed superseded           | triaging b  | 2 |
          a YES b YES                   | triaged requested            | queued b    | 2 | b
          a b OLD                       |                              | triaging b  | 2 |
          a YES CLAIM b                 | changed                      | running a   | 1 | a
          a YES CLAIM b c               | superseded changed           | running a   | 1 | a
          a YES CLAIM b c DONE          | completed ANALYSIS           | triaging c  | 2 |
          a YES CLAIM b a@again         | superseded duplicate         | running a   | 1 | a
          a YES CLAIM b a@again DONE    | completed ANALYSIS           | analyzed a  | 1 |
          # closed, and reopened
          a!                            | changed closed               | closed a    | 0 |
          a! a@later!                   | duplicate                    | closed a    | 0 |
          a YES x!                      | changed superseded closed    | closed x    | 1 |
          a YES a!                      | duplicate closed             | closed a    | 1 |
          a YES a! a                    | changed                      | triaging a  | 2 |
          a YES CLAIM x!                | changed                      | running a   | 1 |
          a YES CLAIM x! CANCELLED      | cancelled superseded closed  | closed x    | 1 |
          a YES CLAIM a! CANCELLED      | cancelled closed             | closed a    | 1 |
          a YES CLAIM b a@done!         | superseded duplicate         | running a   | 1 |
          a YES CLAIM b a@done! CANCELLED | cancelled closed           | closed a    | 1 |
          a YES CLAIM a! a@reopened CANCELLED | cancelled requested    | queued a    | 1 | a/2
          a YES CLAIM DONE a!           | changed closed               | closed a    | 1 |
          a YES CLAIM DONE a! a@reopened | changed                     | triaging a  | 2 |
          # excluded by the start of its source
          a@1-start                     | changed skipped              | skipped a   | 0 |
          a@1-start edited@2            | changed                      | triaging edited | 1 |
          a@1-start a@2                 | duplicate                    | skipped a   | 0 |
          a@1-start /retry a@2          | duplicate                    | queued a    | 0 | a
          # excluded by a label that it lacks
          a@1-label                     | changed skipped              | skipped a   | 0 |
          a@1-label a@2                 | changed                      | triaging a  | 1 |
          a@1-start+label a@2           | changed                      | triaging a  | 1 |
          a@1-label edited@2-label      | changed skipped              | skipped edited | 0 |
          a@1-label /retry a@2-label    | duplicate                    | queued a    | 0 | a
          a!-label                      | changed closed               | closed a    | 0 |
          # a label that goes and comes back
          a YES /skip a@b-label a@c     | duplicate                    | skipped a   | 1 |
          a@1 NO a@2-label a@3          | duplicate                    | skipped a   | 1 |
          a YES a@b-label               | duplicate skipped            | skipped a   | 1 |
          a YES CLAIM a@b-label         | duplicate                    | running a   | 1 |
          a YES CLAIM a@b-label CANCELLED | cancelled skipped          | skipped a   | 1 |
          a YES CLAIM edited@b-label    | changed                      | running a   | 1 |
          a YES CLAIM edited@b-label CANCELLED | cancelled superseded skipped | skipped edited | 1 |
          a YES CLAIM a@b-label a@c CANCELLED | cancelled requested    | queued a    | 1 | a/2
          a YES CLAIM DONE a@b-label a@c | duplicate                   | analyzed a  | 1 |
          """)
  void whatIsReadDecides(
      String read, @Nullable String events, String phase, int asked, @Nullable String request) {
    story.reads(read);
    story.ends(events, phase, request);
    assertThat(story.questions()).hasSize(asked);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          a YES CLAIM b                   | changed              | running a  |
          a YES CLAIM b CANCELLED         | cancelled superseded | triaging b |
          a YES CLAIM b a@again CANCELLED | cancelled requested  | queued a   | a/2
          """)
  void byPolicyANewerSnapshotEndsTheRunningSession(
      String read, @Nullable String events, String phase, @Nullable String request) {
    story = new ItemStory(ItemStory.settings(OnNewer.CANCEL, Routing.NONE, ItemBudget.NONE));
    story.reads(read);
    story.ends(events, phase, request);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a YES CLAIM b c DONE", "a YES CLAIM a@newer DONE"})
  void theAnalysisNamesTheRevisionThatItsSessionRead(String read) {
    assertThat(story.reads(read).last())
        .filteredOn(TriageEffect.Publish.class::isInstance)
        .singleElement()
        .extracting(e -> ((TriageEffect.Publish) e).analysis().revision())
        .isEqualTo("a");
  }

  @Test
  void anExcludedItemSaysWhatItLacks() {
    assertThat(story.reads("a@1-start").phase())
        .isEqualTo(new ItemPhase.Skipped("before start", new Exclusion(true, null)));
    assertThat(new ItemStory().reads("a@1-label").phase())
        .isEqualTo(new ItemPhase.Skipped("needs label agent", new Exclusion(false, "label agent")));
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
    var repeat =
        new ItemMachine.Repeat(story.phase(), known.revision(), known.title(), known.closed());
    assertThat(story.repeated(origin, repeat)).isEqualTo(story.last());
  }

  @Test
  void whetherAClosedItemIsReopenedOnlyTheWholeItemTells() {
    story.brought("closed");
    var repeat = new ItemMachine.Repeat(story.phase(), "a", "Title", false);
    assertThat(story.repeated(story.origin("work-items"), repeat)).isEmpty();
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
    return Sample.with(
        made,
        Map.of("tags", List.of(label), "fingerprint", new Fingerprint(version, label + text)));
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
  void anEditThatTheFingerprintLeavesOutCostsNothing() {
    story.seen(snapshot("a")).verdict(false);
    Snapshot a = snapshot("a", "edited", 1, false, true);

    story.seen(
        Sample.with(a, Map.of("title", "Another title", "priority", 1, "tags", List.of("search"))));

    assertThat(story.lastTypes()).containsExactly(ITEM_DUPLICATE);
    assertThat(story.phase()).isInstanceOf(ItemPhase.Skipped.class);
  }
}
