package dev.flyball.kafka;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.ledger.CheckpointPart;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The checkpoints of a log that is read backwards, step by step; within a step forwards. Their
 * parts stay unparsed, because most of them are not needed.
 */
final class FoundCheckpoints {
  /**
   * Most complete checkpoints kept of one step: the newest, and an older one in case that is
   * broken.
   */
  private static final int KEPT = 2;

  private final Map<String, Parts> open = new HashMap<>();
  private final List<Complete> complete = new ArrayList<>();

  /** The part of a record that identifies its checkpoint. */
  private record Head(String entry, long at, @Nullable CheckpointPart part) {}

  /** The parts of one checkpoint that were read, by number. */
  private record Parts(long at, SortedMap<Integer, Read> read) {}

  private record Read(long offset, byte[] value, boolean last) {}

  /**
   * A checkpoint with all its parts.
   *
   * @param at offset of the last entry in its state
   * @param first offset of its first part
   */
  record Complete(long at, long first, long last, List<byte[]> parts) {}

  /** Takes a record that may be a checkpoint. */
  void add(long offset, byte[] value) {
    Head head;
    try {
      head = RecordJson.read(value, Head.class);
    } catch (UnreadableRecord e) {
      return;
    }
    CheckpointPart part = head.part();
    if (!"checkpoint".equals(head.entry())) {
      return;
    }
    if (part == null) {
      keep(new Complete(head.at(), offset, offset, List.of(value)));
      return;
    }
    Parts parts = open.computeIfAbsent(part.set(), set -> new Parts(head.at(), new TreeMap<>()));
    parts.read.putIfAbsent(part.number(), new Read(offset, value, part.last()));
    if (whole(parts.read)) {
      open.remove(part.set());
      List<Read> all = List.copyOf(parts.read.values());
      keep(
          new Complete(
              parts.at,
              all.getFirst().offset,
              all.getLast().offset,
              all.stream().map(Read::value).toList()));
    }
  }

  /**
   * Returns the complete checkpoints of the step that was just read, newest first. Checkpoints
   * whose end is missing are dropped, because the steps that follow read older records.
   */
  List<Complete> complete() {
    open.values().removeIf(parts -> !hasEnd(parts.read));
    List<Complete> found = complete.reversed().stream().toList();
    complete.clear();
    return found;
  }

  private void keep(Complete found) {
    complete.add(found);
    complete.sort(Comparator.comparingLong(Complete::last));
    if (complete.size() > KEPT) {
      complete.removeFirst();
    }
  }

  private static boolean whole(SortedMap<Integer, Read> read) {
    return read.firstKey() == 1 && hasEnd(read);
  }

  /** Whether the last part was read, and every part between it and the first one read. */
  private static boolean hasEnd(SortedMap<Integer, Read> read) {
    return read.sequencedValues().getLast().last
        && read.lastKey() - read.firstKey() == read.size() - 1;
  }
}
