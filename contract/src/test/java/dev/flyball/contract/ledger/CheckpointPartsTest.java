package dev.flyball.contract.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** A state in parts: nothing is lost, and no part grows with the state. */
class CheckpointPartsTest {

  @Test
  void aLargeStateIsCheckpointedInPartsOfLimitedSize() {
    LedgerState state = large(3_000, 9_000);
    List<LedgerEntry.Checkpoint> parts = parts(state, "set");

    assertThat(parts).hasSizeGreaterThan(5);
    assertThat(parts)
        .allSatisfy(
            part -> assertThat(RecordJson.bytes(part).length).isLessThan(2 * CheckpointParts.MOST));
    assertThat(parts)
        .extracting(part -> Objects.requireNonNull(part.part()).last())
        .containsOnlyOnce(true)
        .endsWith(true);
    assertThat(RecordJson.write(assembled(parts, state.digest()).snapshot()))
        .isEqualTo(RecordJson.write(state.snapshot()));
  }

  @Test
  void aStateThatLacksAPartIsRefused() {
    LedgerState state = large(1_600, 0);
    List<LedgerEntry.Checkpoint> parts = parts(state, "set");

    assertThatThrownBy(() -> assembled(parts.subList(0, parts.size() - 1), state.digest()))
        .isInstanceOf(UnreadableRecord.class);
    assertThatThrownBy(() -> assembled(parts.subList(1, parts.size()), state.digest()))
        .isInstanceOf(UnreadableRecord.class);
  }

  private static LedgerState assembled(List<LedgerEntry.Checkpoint> parts, String digest) {
    return LedgerState.restore(
        new LedgerSnapshot(
            digest,
            parts.stream().map(part -> part.state().state()).collect(Collectors.joining())));
  }

  @Test
  void aCheckpointIsCompleteWithItsLastPartWhateverOthersWriteBetween() {
    LedgerState state = large(1_600, 0);
    List<LedgerEntry.Checkpoint> one = parts(state, "one");
    List<LedgerEntry.Checkpoint> two = parts(state, "two");
    var progress = new CheckpointParts.Progress();
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
}
