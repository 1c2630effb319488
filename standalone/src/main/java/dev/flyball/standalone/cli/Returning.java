package dev.flyball.standalone.cli;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.ops.console.operate.Letters.Letter;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which dead letters can come back, the newest of each item: those of work-items whose snapshot can
 * be read. A line of a file is read again by the next poll, and what runners and the classifier
 * write is of its moment only.
 */
final class Returning {
  private final String workItems;
  private final @Nullable String wanted;
  private final int most;
  private final SortedMap<ItemKey, Back> back = new TreeMap<>();
  private final SortedMap<String, String> stay = new TreeMap<>();

  /** What comes back: a snapshot, and where its record stood in work-items. */
  record Back(Snapshot snapshot, ItemState.Position from) {}

  /**
   * @param wanted only letters with this key, or with this id at its end; null for all
   * @param most items that come back at once
   */
  Returning(String workItems, @Nullable String wanted, int most) {
    this.workItems = workItems;
    this.wanted = wanted;
    this.most = most;
  }

  void read(Letter each) {
    String key = each.key();
    if (key == null || (wanted != null && !key.equals(wanted) && !key.endsWith("/" + wanted))) {
      return;
    }
    DeadLetter letter = each.letter();
    if (!letter.topic().equals(workItems)) {
      stay.put(key, "a record of " + letter.topic() + "; only those of work-items can come back");
      return;
    }
    try {
      ItemKey item = ItemKey.parse(key);
      Snapshot snapshot =
          RecordJson.read(letter.value() == null ? "" : letter.value(), Snapshot.class);
      if (back.size() < most || back.containsKey(item)) {
        back.put(
            item, new Back(snapshot, new ItemState.Position(letter.partition(), letter.offset())));
      }
    } catch (UnreadableRecord | IllegalArgumentException e) {
      stay.put(key, "its snapshot cannot be read: " + e.getMessage());
    }
  }

  SortedMap<ItemKey, Back> back() {
    return back;
  }

  /** The others, with the reason. */
  SortedMap<String, String> stay() {
    back.keySet().forEach(item -> stay.remove(item.toString()));
    return stay;
  }
}
