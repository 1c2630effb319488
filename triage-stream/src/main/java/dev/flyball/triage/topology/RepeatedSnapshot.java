package dev.flyball.triage.topology;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.triage.item.ItemMachine.Repeat;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Finds out by bytes whether a record holds exactly the snapshot of a stored state. A state begins
 * with its schema and its snapshot, and both records are written by {@link RecordJson}, so that
 * what is equal has equal bytes. Bytes that differ show nothing: then both have to be read.
 *
 * <p>Most snapshots are repeated ones wherever a source is read again, and to read them and their
 * states whole takes longer than all else that is done about them.
 */
final class RepeatedSnapshot {
  private static final byte[] BEFORE =
      ("{\"schema\":\"" + ItemState.SCHEMA + "\",\"snapshot\":").getBytes(StandardCharsets.UTF_8);

  private RepeatedSnapshot() {}

  // Properties that are not named here are skipped instead of being kept until the record is made.
  @JsonIgnoreProperties(ignoreUnknown = true)
  private record Head(String revision, String title, boolean closed) {}

  /** What follows the snapshot in a state, as far as it is needed. */
  @JsonIgnoreProperties(ignoreUnknown = true)
  private record Rest(@Nullable JsonNode pending, @Nullable ItemPhase phase) {}

  /**
   * Returns what the decision takes; null if the snapshot differs, a newer one waits, or the state
   * cannot be read.
   *
   * @param state the value of an item's state
   * @param snapshot the value of a record of work-items
   */
  static @Nullable Repeat of(byte[] state, byte[] snapshot) {
    int end = BEFORE.length + snapshot.length;
    if (state.length <= end
        || state[end] != ','
        || !Arrays.equals(state, 0, BEFORE.length, BEFORE, 0, BEFORE.length)
        || !Arrays.equals(state, BEFORE.length, end, snapshot, 0, snapshot.length)) {
      return null;
    }
    byte[] after = Arrays.copyOfRange(state, end, state.length);
    after[0] = '{';
    try {
      Rest rest = RecordJson.read(after, Rest.class);
      Head head = RecordJson.read(snapshot, Head.class);
      return rest.pending() != null || rest.phase() == null
          ? null
          : new Repeat(rest.phase(), head.revision(), head.title(), head.closed());
    } catch (UnreadableRecord e) {
      return null;
    }
  }
}
