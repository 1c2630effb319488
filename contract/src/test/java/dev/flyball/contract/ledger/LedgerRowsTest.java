package dev.flyball.contract.ledger;

import static dev.flyball.contract.ledger.LedgerStory.NOON;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A state in rows and in parts: nothing is lost, and nothing grows with the state. */
class LedgerRowsTest {

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void rowsKeptUpToDateAreTheRowsOfTheState(long seed) {
    List<LedgerEntry> entries = CheckpointsTest.randomEntries(seed, 900);
    Map<String, String> store = new TreeMap<>();
    LedgerState saved = LedgerState.empty();
    LedgerState state = LedgerState.empty();
    for (int i = 0; i < entries.size(); i++) {
      state = state.fold(entries.get(i), i, NOON.plusSeconds(i * 400L)).state();
      if (i % 37 == 36) {
        save(store, saved, state);
        saved = state;
        assertThat(store).as("seed %d entry %d", seed, i).isEqualTo(rows(state));
      }
    }
    assertThat(RecordJson.write(assembled(store, saved.digest()).snapshot()))
        .isEqualTo(RecordJson.write(saved.snapshot()));
  }

  @Test
  void refsOfBothGenerationsAreKept() {
    var story = LedgerStory.withCap(1);
    LedgerState before = story.state();
    for (int i = 0; i < 2 * Spending.REFS_KEPT + 10; i++) {
      story.append(new LedgerEntry.Spend("acme", "ref" + i, 1, 1));
    }
    Map<String, String> store = new TreeMap<>(rows(before));
    save(store, before, story.state());

    assertThat(store).isEqualTo(rows(story.state()));
    LedgerState again = assembled(store, story.state().digest());
    assertThat(again.parts().spending().knows("ref" + (Spending.REFS_KEPT + 5))).isTrue();
    assertThat(again.parts().spending().knows("ref5")).isFalse();
  }

  @Test
  void aLargeStateIsCheckpointedInPartsOfLimitedSize() {
    LedgerState state = large(3_000, 9_000);
    var parts = new ArrayList<LedgerEntry.Checkpoint>();
    new CheckpointParts(state, "set").forEachRemaining(parts::add);

    assertThat(parts).hasSizeGreaterThan(5);
    assertThat(parts)
        .allSatisfy(part ->
            assertThat(RecordJson.bytes(part).length).isLessThan(CheckpointParts.MOST + 10_000));
    assertThat(parts)
        .extracting(part -> Objects.requireNonNull(part.part()).last())
        .containsOnlyOnce(true)
        .endsWith(true);
    var assembly = new LedgerAssembly();
    parts.forEach(part -> assembly.add(part.state().state()));
    assertThat(RecordJson.write(assembly.state(state.digest()).snapshot()))
        .isEqualTo(RecordJson.write(state.snapshot()));
  }

  @Test
  void aStateThatLacksARowIsRefused() {
    LedgerState state = large(2, 2);
    Map<String, String> rows = rows(state);
    rows.remove("lease/s2");

    assertThatThrownBy(() -> assembled(rows, state.digest())).isInstanceOf(UnreadableRecord.class);
    rows.remove(LedgerRows.HEAD);
    assertThatThrownBy(() -> assembled(rows, state.digest())).isInstanceOf(UnreadableRecord.class);
  }

  @Test
  void aCheckpointIsCompleteWithItsLastPartWhateverOthersWriteBetween() {
    LedgerState state = large(1_600, 0);
    List<LedgerEntry.Checkpoint> one = parts(state, "one");
    List<LedgerEntry.Checkpoint> two = parts(state, "two");
    var progress = new CheckpointProgress();
    assertThat(one).hasSizeGreaterThan(1);

    assertThat(progress.completes(two.getLast())).as("without its first part").isFalse();
    for (int i = 0; i < one.size() - 1; i++) {
      assertThat(progress.completes(one.get(i))).isFalse();
      assertThat(progress.completes(two.get(i))).isFalse();
      assertThat(progress.completes(two.get(i))).as("a duplicate").isFalse();
    }
    assertThat(progress.completes(one.getLast())).isTrue();
    assertThat(progress.completes(one.getLast())).as("a duplicate").isFalse();
    assertThat(progress.completes(two.getLast())).isTrue();
    assertThat(progress.completes(new LedgerEntry.Checkpoint(1, 1, null, state.snapshot())))
        .isTrue();
  }

  @Test
  void onlyTheLastPartCountsAsTheCheckpointMet() {
    var story = LedgerStory.withCap(1_000);
    for (int i = 0; i < 1_000; i++) {
      story.claim("s" + i, "r" + i, "acme/web/" + i);
    }
    List<LedgerEntry.Checkpoint> parts = parts(story.state(), "set");
    assertThat(story.append(parts.getFirst())).isEqualTo(new Effect.Checkpointed(true));
    assertThat(story.state().lastCheckpoint()).isEqualTo(-1);
    assertThat(story.append(parts.getLast())).isEqualTo(new Effect.Checkpointed(true));
    assertThat(story.state().lastCheckpoint()).isEqualTo(story.state().offset());
  }

  /** A ledger with as many open leases and as many requests that ended. */
  static LedgerState large(int open, int unsettled) {
    var story = LedgerStory.withCap(open + unsettled);
    for (int i = 1; i <= open + unsettled; i++) {
      story.claim("s" + i, "r" + i, "acme/web/" + i);
      if (i > open) {
        story.release("s" + i);
      }
    }
    return story.state();
  }

  private static List<LedgerEntry.Checkpoint> parts(LedgerState state, String set) {
    var parts = new ArrayList<LedgerEntry.Checkpoint>();
    new CheckpointParts(state, set).forEachRemaining(parts::add);
    return parts;
  }

  private static Map<String, String> rows(LedgerState state) {
    return LedgerRows.of(state)
        .collect(
            Collectors.toMap(LedgerRows.Row::key, LedgerRows.Row::json, (a, b) -> a, TreeMap::new));
  }

  private static void save(Map<String, String> store, LedgerState before, LedgerState after) {
    for (LedgerRows.Row row : LedgerRows.changes(before, after)) {
      if (row.json() == null) {
        store.remove(row.key());
      } else {
        store.put(row.key(), row.json());
      }
    }
  }

  private static LedgerState assembled(Map<String, String> rows, String digest) {
    var assembly = new LedgerAssembly();
    String head = rows.get(LedgerRows.HEAD);
    if (head != null) {
      assembly.add(head.getBytes(StandardCharsets.UTF_8));
    }
    rows.forEach((key, json) -> {
      if (!key.equals(LedgerRows.HEAD)) {
        assembly.add(json.getBytes(StandardCharsets.UTF_8));
      }
    });
    return assembly.state(digest);
  }
}
