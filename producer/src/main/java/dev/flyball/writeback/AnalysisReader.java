package dev.flyball.writeback;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.ledger.Token;
import dev.flyball.contract.session.Analysis;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.writeback.DeliveryQueue.Received;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetAndTimestamp;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the analyses of one source, and operators' commands to deliver one again. Each source has
 * its own consumer group: a tracker that does not answer delays only its own analyses. Reading
 * begins with what comes after the group's first start: enabling write-back must not flood a
 * tracker with everything that was ever found. A group that the broker has forgotten reads again
 * everything since that start. One thread.
 */
final class AnalysisReader implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AnalysisReader.class);

  private final KafkaConsumer<String, byte[]> consumer;
  private final String source;
  private final String commands;
  private final FirstStarts beginnings;
  private final DeliveryQueue queue;
  private final BiConsumer<ConsumerRecord<String, byte[]>, String> unreadable;
  private final Map<TopicPartition, Long> committed = new HashMap<>();

  /**
   * Joins the group.
   *
   * @param source {@code tenant/source}
   * @param beginnings since when this producer delivers each source's analyses
   * @param queue gets what is read
   * @param unreadable called with every record of analyses that is none, and the reason; the record
   *     is skipped when the call returns
   */
  AnalysisReader(
      KafkaClients clients,
      String source,
      FirstStarts beginnings,
      DeliveryQueue queue,
      BiConsumer<ConsumerRecord<String, byte[]>, String> unreadable) {
    this.queue = queue;
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
    this.commands = clients.topics().commands();
    consumer.subscribe(Set.of(clients.topics().analyses(), commands), new Partitions());
  }

  /**
   * Puts what came into the queue. It must be called while analyses wait, too: that keeps the
   * membership alive.
   *
   * @param patience how long to wait for a record
   * @return whether the group has given this reader partitions; a broker that does not answer looks
   *     like a topic without news
   */
  boolean read(Duration patience, long now) {
    if (queue.isFull()) {
      consumer.pause(consumer.assignment());
    } else {
      consumer.resume(consumer.paused());
    }
    for (ConsumerRecord<String, byte[]> record : consumer.poll(patience)) {
      if (record.key() != null && record.key().startsWith(source + "/") && record.value() != null) {
        if (record.topic().equals(commands)) {
          redelivery(record).ifPresent(received -> queue.add(received, now));
        } else {
          analysis(record, now);
        }
      }
    }
    return !consumer.assignment().isEmpty();
  }

  /** Commits up to the oldest analysis that still waits in the queue. */
  void commit() {
    Map<TopicPartition, Long> oldest = queue.oldest();
    var news = new HashMap<TopicPartition, OffsetAndMetadata>();
    for (TopicPartition partition : consumer.assignment()) {
      long next = oldest.getOrDefault(partition, consumer.position(partition));
      if (!Objects.equals(committed.put(partition, next), next)) {
        news.put(partition, new OffsetAndMetadata(next));
      }
    }
    if (!news.isEmpty()) {
      consumer.commitSync(news);
    }
  }

  private void analysis(ConsumerRecord<String, byte[]> record, long now) {
    try {
      Analysis analysis = RecordJson.read(record.value(), Analysis.class);
      // Checked here: an analysis without a token would fail at its tracker, where its reason is
      // unknown.
      var _ = Token.parse(analysis.token());
      queue.add(new Received(ItemKey.parse(record.key()), analysis, record, null), now);
    } catch (UnreadableRecord | IllegalArgumentException e) {
      unreadable.accept(record, String.valueOf(e.getMessage()));
    }
  }

  /** An operator's command to deliver again; triage-stream reports commands that are unreadable. */
  private static Optional<Received> redelivery(ConsumerRecord<String, byte[]> record) {
    try {
      return RecordJson.read(record.value(), Command.class) instanceof Command.Redeliver command
          ? Optional.of(
              new Received(ItemKey.parse(record.key()), command.analysis(), record, command))
          : Optional.empty();
    } catch (UnreadableRecord | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  @Override
  public void close() {
    consumer.close();
  }

  /** Drops analyses of partitions that another member reads now. */
  private final class Partitions implements ConsumerRebalanceListener {
    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
      queue.forget(partitions);
      committed.keySet().removeAll(partitions);
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
