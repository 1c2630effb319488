package dev.flyball.kafka;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the newest checkpoint by reading backwards in steps that grow, so that a million old
 * entries cost nothing. Each offset is read once.
 */
final class CheckpointSearch {
  private static final Logger LOG = LoggerFactory.getLogger(CheckpointSearch.class);
  private static final int FIRST_STEP = 2_000;
  private static final int LARGEST_STEP = 128_000;

  private static final long STUCK_NANOS = KafkaClients.DEFAULT_REACH_LIMIT.toNanos();

  /** Looked for as text: parsing every entry just to see its kind would cost seconds. */
  private static final byte[] MARK = "\"checkpoint\"".getBytes(StandardCharsets.US_ASCII);

  private final KafkaConsumer<String, byte[]> consumer;
  private final TopicPartition partition;
  private final long begin;
  private final long end;

  CheckpointSearch(KafkaConsumer<String, byte[]> consumer, TopicPartition partition) {
    this.consumer = consumer;
    this.partition = partition;
    this.begin = consumer.beginningOffsets(List.of(partition)).getOrDefault(partition, 0L);
    this.end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
  }

  long begin() {
    return begin;
  }

  long end() {
    return end;
  }

  /** The newest state that can be restored; empty if there is none and the log is whole. */
  LedgerState newest() {
    long upTo = end;
    long step = FIRST_STEP;
    while (upTo > begin) {
      long from = Math.max(begin, upTo - step);
      Optional<LedgerState> found = newestWithin(from, upTo);
      if (found.isPresent()) {
        return found.get();
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

  private Optional<LedgerState> newestWithin(long from, long upTo) {
    return read(from, upTo).reversed().stream()
        .map(this::restore)
        .flatMap(Optional::stream)
        .findFirst();
  }

  private Optional<LedgerState> restore(ConsumerRecord<String, byte[]> record) {
    try {
      if (!(RecordJson.read(record.value(), LedgerEntry.class)
          instanceof LedgerEntry.Checkpoint checkpoint)) {
        return Optional.empty();
      }
      // Above its own offset it would speak of the future, below the log's start it leaves a gap.
      if (checkpoint.at() >= record.offset() || checkpoint.at() + 1 < begin) {
        return Optional.empty();
      }
      LedgerState state = LedgerState.restore(checkpoint.state());
      return state.offset() == checkpoint.at() ? Optional.of(state) : Optional.empty();
    } catch (UnreadableRecord e) {
      LOG.warn(
          "checkpoint at offset {} is unreadable, an older one serves: {}",
          record.offset(),
          e.getMessage());
      return Optional.empty();
    }
  }

  /** The records within [from, upTo) that look like checkpoints. */
  private List<ConsumerRecord<String, byte[]>> read(long from, long upTo) {
    var found = new ArrayList<ConsumerRecord<String, byte[]>>();
    consumer.seek(partition, from);
    long lastProgress = System.nanoTime();
    while (consumer.position(partition) < upTo) {
      var records = consumer.poll(Duration.ofMillis(500));
      if (!records.isEmpty()) {
        lastProgress = System.nanoTime();
      } else if (System.nanoTime() - lastProgress > STUCK_NANOS) {
        throw new TimeoutException("nothing read since offset " + consumer.position(partition));
      }
      for (ConsumerRecord<String, byte[]> record : records) {
        if (record.offset() < upTo && record.value() != null && marked(record.value())) {
          found.add(record);
        }
      }
    }
    return found;
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
}
