package dev.flyball.producer.publish;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.tracker.PollResult;
import java.util.List;

/**
 * What one poll writes besides its cursor.
 *
 * @param snapshots in the order in which they are published
 * @param unread unreadable lines, which become dead letters
 */
public record PollOutput(List<Entry> snapshots, List<PollResult.Unread> unread) {
  public PollOutput {
    snapshots = List.copyOf(snapshots);
    unread = List.copyOf(unread);
  }

  /** Whether there is nothing to write. */
  public boolean isEmpty() {
    return snapshots.isEmpty() && unread.isEmpty();
  }

  /**
   * One snapshot under its item's key.
   *
   * @param digest hash of everything the tracker returned for the item
   */
  public record Entry(ItemKey key, Snapshot snapshot, String digest) {}
}
