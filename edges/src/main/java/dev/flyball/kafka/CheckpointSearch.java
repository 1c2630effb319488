package dev.flyball.kafka;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.ledger.CheckpointPart;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerSnapshot;
import dev.flyball.contract.ledger.LedgerState;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
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
 * old entries cost nothing. Each offset is read once.
 */
final class CheckpointSearch {
  private static final Logger LOG = LoggerFactory.getLogger(CheckpointSearch.class);
  private static final int FIRST_STEP = 2_000;
  private static final int LARGEST_STEP = 128_000;

  private static final long STUCK_NANOS = KafkaClients.DEFAULT_REACH_LIMIT.toNanos();

  /** Searched for as text: parsing every entry just to learn its kind would cost seconds. */
  private static final String MARK = "\"checkpoint\"";

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
    var found = new HashMap<String, Found>();
    long upTo = end;
    long step = FIRST_STEP;
    while (upTo > begin) {
      long from = Math.max(begin, upTo - step);
      read(from, upTo, found);
      List<Found> whole =
          found.values().stream()
              .filter(Found::whole)
              .sorted(Comparator.comparingLong(Found::last).reversed())
              .toList();
      for (Found each : whole) {
        Optional<LedgerState> state = restore(each);
        if (state.isPresent()) {
          return state.get();
        }
      }
      found.values().removeAll(whole);
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

  /**
   * A checkpoint as far as it was read. Its parts stay unparsed, because most are not needed.
   *
   * @param at offset of the last entry in its state
   * @param parts by number
   */
  private record Found(long at, SortedMap<Integer, Part> parts) {
    boolean whole() {
      return parts.firstKey() == 1
          && parts.lastKey() == parts.size()
          && parts.sequencedValues().getLast().last;
    }

    long first() {
      return parts.sequencedValues().getFirst().offset;
    }

    long last() {
      return parts.sequencedValues().getLast().offset;
    }
  }

  private record Part(long offset, byte[] value, boolean last) {}

  /** What identifies the checkpoint of an entry; it may be whole in one. */
  private record Head(String entry, long at, @Nullable CheckpointPart part) {}

  private Optional<LedgerState> restore(Found found) {
    // A checkpoint at or above its own offset would describe entries that follow it; one below the
    // log's start leaves a gap.
    if (found.at() >= found.first() || found.at() + 1 < begin) {
      return Optional.empty();
    }
    try {
      var text = new StringBuilder();
      String digest = "";
      for (Part part : found.parts.values()) {
        var entry = RecordJson.read(part.value, LedgerEntry.Checkpoint.class);
        digest = entry.state().digest();
        text.append(entry.state().state());
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

  private void read(long from, long upTo, Map<String, Found> found) {
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
          add(record.offset(), record.value(), found);
        }
      }
    }
  }

  /** Takes a record that may be a checkpoint. */
  private static void add(long offset, byte[] value, Map<String, Found> found) {
    try {
      Head head = RecordJson.read(value, Head.class);
      if ("checkpoint".equals(head.entry())) {
        CheckpointPart part =
            head.part() == null ? new CheckpointPart("at " + offset, 1, true) : head.part();
        found
            .computeIfAbsent(part.set(), set -> new Found(head.at(), new TreeMap<>()))
            .parts
            .putIfAbsent(part.number(), new Part(offset, value, part.last()));
      }
    } catch (UnreadableRecord e) {
      LOG.debug("no checkpoint at offset {}: {}", offset, e.getMessage());
    }
  }

  private long beginning() {
    return consumer.beginningOffsets(List.of(partition)).getOrDefault(partition, 0L);
  }

  /** A checkpoint names its kind among its first bytes. */
  private static boolean marked(byte[] value) {
    return new String(value, 0, Math.min(value.length, 200), StandardCharsets.ISO_8859_1)
        .contains(MARK);
  }
}
