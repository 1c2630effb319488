package dev.flyball.triage.topology;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.NullNode;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.topic.Position;
import dev.flyball.testkit.Sample;
import dev.flyball.triage.item.ItemMachine.Repeat;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is known by its bytes, and what has to be read. */
final class RepeatedSnapshotTest {
  private static final Snapshot KNOWN =
      Sample.fingerprinted("7", "Not \"ASCII\": \u00e9\u4e16 \ud83d\ude00\n,\"at\":{}");

  @Test
  void theSnapshotOfTheStateIsKnown() {
    assertThat(repeated(RecordJson.write(state(null)), RecordJson.write(KNOWN)))
        .isEqualTo(new Repeat(new ItemPhase.Analyzed("s"), "7", "Title", false));
  }

  @Test
  void anotherSnapshotIsNot() {
    String state = RecordJson.write(state(null));
    assertThat(repeated(state, RecordJson.write(Sample.fingerprinted("8", KNOWN.text())))).isNull();
    assertThat(repeated(state, "")).isNull();
    assertThat(repeated(state, RecordJson.write(KNOWN) + ",\"at\":{}")).isNull();
    assertThat(repeated(state, state)).isNull();
  }

  @Test
  void aSnapshotThatOnlyBeginsLikeTheKnownOneIsNot() {
    String known = RecordJson.write(KNOWN);
    assertThat(repeated(RecordJson.write(state(null)), known.substring(0, known.length() - 1)))
        .isNull();
  }

  @Test
  void whileANewerOneWaitsTheWholeStateDecides() {
    var waiting = new ItemState.Pending(Sample.fingerprinted("8", "b"), new Position(0, 2));
    assertThat(repeated(RecordJson.write(state(waiting)), RecordJson.write(KNOWN))).isNull();
  }

  @ParameterizedTest
  @CsvSource({"analyzed, unheard", "item-state/1, item-state/9", "phase, other"})
  void aStateOfAnotherShapeIsLeftToItsReader(String word, String other) {
    String state = RecordJson.write(state(null)).replace('"' + word + '"', '"' + other + '"');
    assertThat(repeated(state, RecordJson.write(KNOWN))).isNull();
  }

  @Test
  void aStateThatWasCutIsLeftToItsReader() {
    String state = RecordJson.write(state(null));
    for (int length = 0; length < state.length(); length++) {
      assertThat(repeated(state.substring(0, length), RecordJson.write(KNOWN))).isNull();
    }
  }

  private static @Nullable Repeat repeated(String state, String snapshot) {
    return RepeatedSnapshot.of(
        state.getBytes(StandardCharsets.UTF_8), snapshot.getBytes(StandardCharsets.UTF_8));
  }

  private static ItemState state(ItemState.@Nullable Pending pending) {
    return Sample.with(
        Sample.state(KNOWN, new ItemPhase.Analyzed("s"), 0, Instant.EPOCH),
        Map.of(
            "verdict", Sample.verdict(), "pending", pending == null ? NullNode.instance : pending));
  }
}
