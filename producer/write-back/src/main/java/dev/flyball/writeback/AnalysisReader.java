package dev.flyball.writeback;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.ledger.Token;
import dev.flyball.contract.session.Analysis;
import dev.flyball.kafka.KafkaClients;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the analyses of one source, each until it is {@link #done}. Each source has its own
 * consumer group: a tracker that does not answer delays only its own analyses. Reading begins with
 * what comes after the group's first start: enabling write-back must not flood a tracker with
 * everything that was ever found. A group that the broker has forgotten reads again everything
 * since that start. One thread.
 */
public final class AnalysisReader implements AutoCloseable {
  private final KafkaConsumer<String, byte[]> consumer;
  private static final Logger LOG = LoggerFactory.getLogger(AnalysisReader.class);

  private final String source;
  private final FirstStarts beginnings;
  private final BiConsumer<ConsumerRecord<String, byte[]>, String> unreadable;
  private final Deque<ConsumerRecord<String, byte[]>> waiting = new ArrayDeque<>();

  /**
   * Joins the group.
   *
   * @param source {@code tenant/source}
   * @param beginnings since when this producer delivers each source's analyses
   * @param unreadable called with every record that is not an analysis, and the reason; the record
   *     is skipped when the call returns
   */
  public AnalysisReader(
      KafkaClients clients,
      String source,
      FirstStarts beginnings,
      BiConsumer<ConsumerRecord<String, byte[]>, String> unreadable) {
    this.source = source;
    this.beginnings = beginnings;
    this.unreadable = unreadable;
    this.consumer =
        clients.consumer(
            "write-back",
            Map.of(
                "group.id",
                clients.topics().prefix() + "write-back." + source.replace('/', '.'),
                "auto.offset.reset",
                "latest",
                "max.poll.records",
                50));
    consumer.subscribe(Set.of(clients.topics().analyses()), new Partitions());
  }

  /**
   * The analysis that is to be delivered now; null if none came. It stays the same one until it is
   * {@link #done} or its partition moves to another member of the group.
   *
   * @param patience how long to wait for one
   */
  public @Nullable Received next(Duration patience) {
    // While an analysis waits, the partitions are paused: polling keeps the membership alive.
    consumer.poll(patience).forEach(this::keep);
    while (!waiting.isEmpty()) {
      ConsumerRecord<String, byte[]> head = waiting.getFirst();
      try {
        return received(head);
      } catch (UnreadableRecord | IllegalArgumentException e) {
        unreadable.accept(head, String.valueOf(e.getMessage()));
        done(head);
      }
    }
    return null;
  }

  /** The analysis is delivered, or given up with a dead letter: it is not returned again. */
  public void done(Received received) {
    done(received.record());
  }

  private void done(ConsumerRecord<String, byte[]> record) {
    waiting.remove(record);
    if (waiting.isEmpty()) {
      consumer.commitSync();
      consumer.resume(consumer.paused());
    } else {
      consumer.commitSync(Map.of(partition(record), new OffsetAndMetadata(record.offset() + 1)));
    }
  }

  private static Received received(ConsumerRecord<String, byte[]> record) {
    Analysis analysis = RecordJson.read(record.value(), Analysis.class);
    // Checked here: an analysis without a token would fail at its tracker, where its reason is
    // unknown.
    var _ = Token.parse(analysis.token());
    return new Received(ItemKey.parse(record.key()), analysis, record);
  }

  private void keep(ConsumerRecord<String, byte[]> record) {
    boolean ours =
        record.key() != null && record.key().startsWith(source + "/") && record.value() != null;
    if (ours) {
      waiting.add(record);
      consumer.pause(consumer.assignment());
    }
  }

  private static TopicPartition partition(ConsumerRecord<?, ?> record) {
    return new TopicPartition(record.topic(), record.partition());
  }

  @Override
  public void close() {
    consumer.close();
  }

  /**
   * One analysis.
   *
   * @param record the record that carries it
   */
  public record Received(ItemKey item, Analysis analysis, ConsumerRecord<String, byte[]> record) {}

  /** Drops analyses of partitions that another member reads now. */
  private final class Partitions implements ConsumerRebalanceListener {
    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
      waiting.removeIf(record -> partitions.contains(partition(record)));
      if (waiting.isEmpty()) {
        consumer.resume(consumer.paused());
      }
    }

    /**
     * Commits a starting position for partitions without one; without it a crash would move the
     * beginning.
     */
    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
      var unread = new HashSet<>(partitions);
      consumer
          .committed(unread)
          .forEach((partition, offset) -> {
            if (offset != null) {
              unread.remove(partition);
            }
          });
      Optional<Instant> earlier = beginnings.earlier(source);
      if (!unread.isEmpty()) {
        earlier.ifPresentOrElse(began -> seek(unread, began), () -> consumer.seekToEnd(unread));
        unread.forEach(partition ->
            consumer.commitSync(
                Map.of(partition, new OffsetAndMetadata(consumer.position(partition)))));
      }
      if (!waiting.isEmpty()) {
        consumer.pause(partitions);
      }
    }

    /**
     * Starts reading at the recorded beginning: the broker has forgotten the group, or a crash came
     * before the first commit.
     */
    private void seek(Set<TopicPartition> unread, Instant began) {
      LOG.info("write-back of {}: looking again at what was found since {}", source, began);
      var times = new HashMap<TopicPartition, Long>();
      unread.forEach(partition -> times.put(partition, began.toEpochMilli()));
      Map<TopicPartition, OffsetAndTimestamp> found = consumer.offsetsForTimes(times);
      for (TopicPartition partition : unread) {
        OffsetAndTimestamp at = found.get(partition);
        if (at == null) {
          consumer.seekToEnd(Set.of(partition));
        } else {
          consumer.seek(partition, at.offset());
        }
      }
    }
  }
}
