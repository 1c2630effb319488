package dev.flyball.triage.item;

import static dev.flyball.contract.event.EventType.*;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.NullNode;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.testkit.Sample;
import dev.flyball.triage.item.Input.SessionRef;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Offsets of work-items are lost, and its records come again from somewhere in the past. */
final class ReplayedSnapshotsTest {
  private static final Instant T = Instant.parse("2026-02-10T08:00:00Z");

  private final ItemStory story = new ItemStory();
  private long offset;
  private @Nullable SessionRef running;

  /** What a tracker says about the order of its snapshots. */
  enum Tracker {
    REVISIONS_AND_TIMES,
    TIMES,
    TIMES_OF_WHOLE_MINUTES_AND_REVISIONS,
    NOTHING
  }

  private record Published(long offset, Snapshot snapshot) {}

  @Test
  void anEditBackToEarlierContentIsAChange() {
    analyzed("a", "1", T);
    analyzed("b", "2", T.plusSeconds(60));

    seen(content("a", "3", T.plusSeconds(120), false));

    assertThat(story.lastTypes()).containsExactly(ITEM_CHANGED);
    assertThat(story.phase()).isInstanceOf(ItemPhase.Triaging.class);
  }

  @Test
  void ofOneMomentTheHigherRevisionIsTheNewerOne() {
    analyzed("a", "9", T);
    seen(content("b", "10", T, false));
    assertThat(story.lastTypes()).containsExactly(ITEM_CHANGED);

    seen(content("a", "9", T, false));
    assertThat(story.lastTypes()).containsExactly(ITEM_DUPLICATE);
  }

  @Test
  void aHigherRevisionIsAChangeThoughTheTrackersClockWentBack() {
    analyzed("a", "1", T);

    seen(content("b", "2", T.minusSeconds(60), false));

    assertThat(story.lastTypes()).containsExactly(ITEM_CHANGED);
  }

  @Test
  void withoutRevisionsAndTimesEachNewRecordCounts() {
    analyzed("a", "0", null);
    seen(content("b", "0", null, false));
    assertThat(story.lastTypes()).containsExactly(ITEM_CHANGED);
    seen(content("a", "0", null, false));
    assertThat(story.lastTypes()).contains(ITEM_CHANGED);
  }

  @Test
  void whatWasClosedSinceIsNotReopenedByItsOwnPast() {
    seen(content("a", "1", T, false));
    seen(content("a", "2", T.plusSeconds(60), true));
    assertThat(story.phase()).isInstanceOf(ItemPhase.Closed.class);

    seen(content("a", "1", T, false));
    assertThat(story.phase()).isInstanceOf(ItemPhase.Closed.class);
    seen(content("a", "3", T.plusSeconds(120), false));
    assertThat(story.phase()).as("reopened in earnest").isInstanceOf(ItemPhase.Triaging.class);
  }

  @Test
  void aTopicThatWasMadeAgainCountsFromZeroAndItsRecordsAreNew() {
    offset = 500;
    analyzed("a", "0", null);
    offset = 0;
    Snapshot b = content("b", "0", null, false);

    story.step(new Input.SnapshotSeen(at(0, story.now().plusSeconds(1)), b));

    assertThat(story.lastTypes()).containsExactly(ITEM_CHANGED);
  }

  @ParameterizedTest
  @EnumSource(Tracker.class)
  void aHistoryReadAgainFromAnyOffsetAsksNothingAndRunsNothing(Tracker tracker) {
    for (int seed = 0; seed < 200; seed++) {
      var random = new Random(seed);
      var replay = new ReplayedSnapshotsTest();
      List<Published> history = replay.history(random, tracker);
      ItemState settled = replay.story.known();
      List<String> asked = replay.story.questions();
      List<SessionRequest> requested = replay.story.requests();

      for (Published each : history.subList(random.nextInt(history.size()), history.size())) {
        replay.story.step(new Input.SnapshotSeen(replay.at(each.offset, T), each.snapshot));
      }

      assertThat(replay.story.questions()).as("questions, seed %d", seed).isEqualTo(asked);
      assertThat(replay.story.requests()).as("requests, seed %d", seed).isEqualTo(requested);
      assertThat(replay.story.phase()).as("phase, seed %d", seed).isEqualTo(settled.phase());
      assertThat(replay.story.known().snapshot().text())
          .as("content, seed %d", seed)
          .isEqualTo(settled.snapshot().text());
    }
  }

  /** Edits, edits back, closings, several in one poll; the item does what it wants meanwhile. */
  private List<Published> history(Random random, Tracker tracker) {
    var history = new ArrayList<Published>();
    int edits = 2 + random.nextInt(8);
    for (int n = 1; n <= edits; n++) {
      Instant changed = T.plusSeconds(n * 40L);
      Instant minute = T.plusSeconds(n * 40L / 60 * 60);
      Snapshot snapshot =
          snapshot(
              "content " + random.nextInt(3),
              switch (tracker) {
                case REVISIONS_AND_TIMES, TIMES_OF_WHOLE_MINUTES_AND_REVISIONS -> "" + n;
                case TIMES, NOTHING -> "0";
              },
              switch (tracker) {
                case REVISIONS_AND_TIMES, TIMES -> changed;
                case TIMES_OF_WHOLE_MINUTES_AND_REVISIONS -> minute;
                case NOTHING -> null;
              },
              random.nextInt(5) == 0,
              n == edits || random.nextInt(4) > 0);
      history.add(new Published(offset, snapshot));
      seen(snapshot);
      work(random);
    }
    return history;
  }

  private void work(Random random) {
    if (story.item().state() == null) {
      return;
    }
    if (story.phase() instanceof ItemPhase.Triaging && random.nextInt(4) > 0) {
      story.verdict(random.nextInt(3) > 0);
    }
    SessionRequest standing = story.standing();
    if (running == null && standing != null && random.nextInt(3) > 0) {
      running = story.claimed();
    }
    SessionRef session = running;
    if (session != null && random.nextInt(3) > 0) {
      boolean completed = random.nextBoolean();
      if (completed) {
        story.result(session);
      }
      story.released(session, completed ? Outcome.COMPLETED : Outcome.FAILED, "because");
      running = null;
    }
  }

  private void analyzed(String content, String revision, @Nullable Instant changed) {
    seen(content(content, revision, changed, false));
    story.verdict(true).session(Outcome.COMPLETED, "done");
  }

  private void seen(Snapshot snapshot) {
    story.step(new Input.SnapshotSeen(at(offset++, T), snapshot));
  }

  private InputPosition at(long place, Instant written) {
    return new InputPosition("flyball.work-items", 0, place, written.toEpochMilli());
  }

  private static Snapshot content(
      String content, String revision, @Nullable Instant changed, boolean closed) {
    return snapshot(content, revision, changed, closed, true);
  }

  private static Snapshot snapshot(
      String content, String revision, @Nullable Instant changed, boolean closed, boolean newest) {
    return Sample.with(
        Sample.fingerprinted(revision, content),
        Map.of(
            "closed",
            closed,
            "changedAt",
            changed == null ? NullNode.instance : changed,
            "newest",
            newest));
  }
}
