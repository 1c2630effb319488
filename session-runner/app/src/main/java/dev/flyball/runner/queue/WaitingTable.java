package dev.flyball.runner.queue;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Finds the one record of an item: open addressing, some 8 bytes an item where a HashMap takes 40.
 */
final class WaitingTable {
  private @Nullable Waiting[] slots = new Waiting[16];
  private int size;

  @Nullable Waiting get(String source, byte[] id) {
    return slots[find(source, id)];
  }

  /**
   * Puts a request in place of its item's earlier one, which is returned; null if there was none.
   */
  @Nullable Waiting put(Waiting waiting) {
    int at = find(waiting.lane.source(), waiting.id);
    Waiting old = slots[at];
    slots[at] = waiting;
    if (old == null && ++size > slots.length / 3 * 2) {
      grow();
    }
    return old;
  }

  @Nullable Waiting remove(String source, byte[] id) {
    int at = find(source, id);
    Waiting old = slots[at];
    if (old != null) {
      size--;
      close(at);
    }
    return old;
  }

  /** A copy of all records, so that the table may be changed meanwhile. */
  List<Waiting> all() {
    return Arrays.stream(slots).filter(Objects::nonNull).toList();
  }

  /** The item's slot, or the free one in which it belongs. */
  private int find(String source, byte[] id) {
    int at = home(source, id);
    for (Waiting there = slots[at]; there != null; there = slots[at]) {
      if (Arrays.equals(there.id, id) && there.lane.source().equals(source)) {
        return at;
      }
      at = next(at);
    }
    return at;
  }

  /**
   * Fills a freed slot with records that were placed behind it, so that every search still finds
   * its record.
   */
  private void close(int freed) {
    int hole = freed;
    slots[hole] = null;
    int at = next(hole);
    for (Waiting there = slots[at]; there != null; there = slots[at]) {
      int home = home(there.lane.source(), there.id);
      boolean stays = hole <= at ? hole < home && home <= at : hole < home || home <= at;
      if (!stays) {
        slots[hole] = there;
        slots[at] = null;
        hole = at;
      }
      at = next(at);
    }
  }

  private void grow() {
    @Nullable Waiting[] old = slots;
    slots = new Waiting[old.length * 2];
    for (Waiting each : old) {
      if (each != null) {
        slots[find(each.lane.source(), each.id)] = each;
      }
    }
  }

  private int next(int at) {
    return (at + 1) & (slots.length - 1);
  }

  private int home(String source, byte[] id) {
    int hash = (source.hashCode() * 31 + Arrays.hashCode(id)) * 0x9E3779B9;
    return (hash ^ (hash >>> 15)) & (slots.length - 1);
  }
}
