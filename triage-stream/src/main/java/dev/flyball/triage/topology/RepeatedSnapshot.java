package dev.flyball.triage.topology;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.triage.item.Repeat;
import java.io.IOException;
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
      String phase = phase(after);
      return phase == null || !ItemPhase.WORDS.contains(phase) ? null : repeat(phase, snapshot);
    } catch (IOException e) {
      return null;
    }
  }

  /**
   * The word of the phase in what follows the snapshot of a state; null if a newer snapshot waits.
   */
  private static @Nullable String phase(byte[] rest) throws IOException {
    String phase = null;
    try (JsonParser json = RecordJson.tokens(rest)) {
      json.nextToken();
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String name = json.currentName();
        JsonToken value = json.nextToken();
        if (name.equals("pending") && value != JsonToken.VALUE_NULL) {
          return null;
        } else if (name.equals("phase")) {
          phase = word(json);
        } else {
          json.skipChildren();
        }
      }
    }
    return phase;
  }

  private static @Nullable String word(JsonParser phase) throws IOException {
    String word = null;
    while (phase.nextToken() == JsonToken.FIELD_NAME) {
      boolean here = phase.currentName().equals("state");
      phase.nextToken();
      if (here) {
        word = phase.getValueAsString();
      } else {
        phase.skipChildren();
      }
    }
    return word;
  }

  /** Reads no more of the snapshot than it takes; its text is by far the largest part. */
  private static @Nullable Repeat repeat(String phase, byte[] snapshot) throws IOException {
    String revision = null;
    String title = null;
    Boolean closed = phase.equals(ItemPhase.CLOSED) ? null : Boolean.FALSE;
    try (JsonParser json = RecordJson.tokens(snapshot)) {
      json.nextToken();
      while ((revision == null || title == null || closed == null)
          && json.nextToken() == JsonToken.FIELD_NAME) {
        String name = json.currentName();
        json.nextToken();
        switch (name) {
          case "revision" -> revision = json.getValueAsString();
          case "title" -> title = json.getValueAsString();
          case "closed" -> closed = json.getValueAsBoolean();
          default -> json.skipChildren();
        }
      }
    }
    return revision == null || title == null || closed == null
        ? null
        : new Repeat(phase, revision, title, closed);
  }
}
