package dev.flyball.runner.protocol.simulation;

import dev.flyball.contract.item.ItemKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The compacted topic session-requests: who starts to read it sees only the newest record of a key.
 */
final class Requests {
  static final int PARTITIONS = 2;

  private final List<List<Row>> partitions = new ArrayList<>();
  private final List<Map<ItemKey, Long>> newest = new ArrayList<>();
  private final List<Runnable> readers = new ArrayList<>();

  Requests() {
    for (int i = 0; i < PARTITIONS; i++) {
      partitions.add(new ArrayList<>());
      newest.add(new HashMap<>());
    }
  }

  /**
   * @param request null for a tombstone
   */
  record Row(int partition, long offset, ItemKey item, @Nullable String request, int attempt) {}

  static int partition(ItemKey item) {
    return Math.floorMod(item.hashCode(), PARTITIONS);
  }

  void put(ItemKey item, @Nullable String request, int attempt) {
    int partition = partition(item);
    long offset = partitions.get(partition).size();
    partitions.get(partition).add(new Row(partition, offset, item, request, attempt));
    newest.get(partition).put(item, offset);
    readers.forEach(Runnable::run);
  }

  void onAppend(Runnable reader) {
    readers.add(reader);
  }

  long end(int partition) {
    return partitions.get(partition).size();
  }

  Row at(int partition, long offset) {
    return partitions.get(partition).get((int) offset);
  }

  /** Whether compaction would have removed it: replaced, or a tombstone. */
  boolean compacted(Row record) {
    Long last = newest.get(record.partition).get(record.item);
    return record.request == null || last == null || last != record.offset;
  }
}
