package dev.flyball.kafka;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.ledger.CheckpointPart;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerSnapshot;
import dev.flyball.contract.ledger.LedgerState;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the newest complete checkpoint by reading backwards in steps that grow, so that a million
 * old entries cost nothing. Each offset is read once, unless a checkpoint turns out to be broken.
 */
final class CheckpointSearch {
  private static final Logger LOG = LoggerFactory.getLogger(CheckpointSearch.class);
  private static final int FIRST_STEP = 2_000;
  private static final int LARGEST_STEP = 128_000;

  private static final long STUCK_NANOS = KafkaClients.DEFAULT_REACH_LIMIT.toNanos();

  /**
   * Searched for as text, because parsing every entry just to learn its kind would cost seconds.
   */
  private static final byte[] MARK = "\"checkpoint\"".getBytes(StandardCharsets.US_ASCII);

  private final KafkaConsumer<String, byte[]> consumer;
  private final TopicPartition partition;
  private final long end;
  private long begin;

  CheckpointSearch(KafkaConsumer<String, byte[]> consumer, TopicPartition partition) {
    this.consumer = consumer;
    this.partition = partition;
    this.begin = beginning();
    this.end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
  }

  long begin() {
    return begin;
  }

  long end() {
    return end;
  }

  /** Returns the newest state that can be restored; empty if there is none and the log is whole. */
  LedgerState newest() {
    while (true) {
      try {
        return search();
      } catch (OffsetOutOfRangeException e) {
        // A runner cut the log meanwhile, far below its newest checkpoints, or the log was
        // truncated.
        long before = begin;
        begin = beginning();
        if (begin == before) {
          throw new LedgerUnusable(partition.topic(), "lost offsets while it was read", e);
        }
      }
    }
  }

  private LedgerState search() {
    var found = new FoundCheckpoints();
    long upTo = end;
    long step = FIRST_STEP;
    while (upTo > begin) {
      long from = Math.max(begin, upTo - step);
      read(from, upTo, found);
      for (FoundCheckpoints.Complete each : found.complete()) {
        Optional<LedgerState> state = restore(each);
        if (state.isPresent()) {
          return state.get();
        }
        // Checkpoints that were dropped in favour of this one come before it.
        from = Math.max(from, each.first());
      }
      upTo = from;
      step = Math.min(LARGEST_STEP, step * 4);
    }
    if (begin > 0) {
      throw new LedgerUnusable(
          partition.topic(),
          "begins at offset " + begin + " and has no checkpoint that reaches it");
    }
    return LedgerState.empty();
  }

  private Optional<LedgerState> restore(FoundCheckpoints.Complete found) {
    // A checkpoint at or above its own offset would describe entries that follow it; one below the
    // log's start leaves a gap.
    if (found.at() >= found.first() || found.at() + 1 < begin) {
      return Optional.empty();
    }
    try {
      var text = new StringBuilder();
      String digest = "";
      for (byte[] part : found.parts()) {
        if (!(RecordJson.read(part, LedgerEntry.class)
            instanceof LedgerEntry.Checkpoint checkpoint)) {
          return Optional.empty();
        }
        digest = checkpoint.state().digest();
        text.append(checkpoint.state().state());
      }
      LedgerState state = LedgerState.restore(new LedgerSnapshot(digest, text.toString()));
      return state.offset() == found.at() ? Optional.of(state) : Optional.empty();
    } catch (UnreadableRecord e) {
      LOG.warn(
          "checkpoint is unreadable, an older one serves: offset={} reason={}",
          found.first(),
          e.getMessage());
      return Optional.empty();
    }
  }

  private void read(long from, long upTo, FoundCheckpoints found) {
    consumer.seek(partition, from);
    long lastProgress = System.nanoTime();
    while (consumer.position(partition) < upTo) {
      var records = consumer.poll(Duration.ofMillis(500));
      if (!records.isEmpty()) {
        lastProgress = System.nanoTime();
      } else if (System.nanoTime() - lastProgress > STUCK_NANOS) {
        throw new TimeoutException(
            "Kafka returns nothing of the ledger after offset " + consumer.position(partition));
      }
      for (ConsumerRecord<String, byte[]> record : records) {
        if (record.offset() < upTo && record.value() != null && marked(record.value())) {
          found.add(record.offset(), record.value());
        }
      }
    }
  }

  private long beginning() {
    return consumer.beginningOffsets(List.of(partition)).getOrDefault(partition, 0L);
  }

  /** A checkpoint names its kind among its first bytes. */
  private static boolean marked(byte[] value) {
    int last = Math.min(value.length, 200) - MARK.length;
    for (int i = 0; i <= last; i++) {
      int matched = 0;
      while (matched < MARK.length && value[i + matched] == MARK[matched]) {
        matched++;
      }
      if (matched == MARK.length) {
        return true;
      }
    }
    return false;
  }

  /**
   * The checkpoints of a log that is read backwards, step by step; within a step forwards. Their
   * parts stay unparsed, because most of them are not needed.
   */
  private static final class FoundCheckpoints {
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
}
