package dev.flyball.program.cli;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.ops.console.operate.DeadLetterReader.Letter;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which dead letters can be requeued: of each item the newest that holds a readable snapshot from
 * work-items. Lines of a file are not among them, because the next poll reads them again. Records
 * of runners and of the classifier apply only to the time at which they were written.
 */
final class RequeueSelection {
  private final String workItems;
  private final @Nullable String wanted;
  private final int most;
  private final SortedMap<ItemKey, Back> back = new TreeMap<>();
  private final SortedMap<String, String> stay = new TreeMap<>();

  /** A snapshot to requeue, and where its record stood in work-items. */
  record Back(Snapshot snapshot, ItemState.Position from) {}

  /**
   * Collects no dead letter yet.
   *
   * @param wanted only dead letters with this key, or with this id at its end; null for all
   * @param most items that are requeued by one call
   */
  RequeueSelection(String workItems, @Nullable String wanted, int most) {
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
      stay.put(
          key, "a record of " + letter.topic() + "; only records of work-items can be requeued");
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

  /** The dead letters that cannot be requeued, with the reason. */
  SortedMap<String, String> stay() {
    back.keySet().forEach(item -> stay.remove(item.toString()));
    return stay;
  }
}
