package dev.flyball.writeback;

import dev.flyball.contract.command.Command;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.ledger.Token;
import dev.flyball.contract.session.Analysis;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.writeback.DeliveryQueue.Received;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delivers one source's analyses to its tracker, in the order and at the times of the {@link
 * DeliveryQueue}. Delivery is at least once: a crash between the tracker's answer and the commit
 * repeats it, and the repeat then finds its own mark.
 */
final class WriteBackLoop implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(WriteBackLoop.class);

  /** How long a read for the next analysis waits, and so how late a stop is noticed at most. */
  private static final Duration LOOK = Duration.ofMillis(500);

  /** The wait after a failure of Kafka before joining the group again. */
  private static final Duration AGAIN = Duration.ofSeconds(2);

  private final String source;
  private final KafkaClients clients;
  private final FirstStarts beginnings;
  private final Delivery delivery;
  private final DeliveryReports reports;
  private final LongSupplier nanos;
  private final DeliveryQueue queue;

  private final CountDownLatch stopping = new CountDownLatch(1);

  /** Why analyses are not delivered; written by the loop, read by health. */
  private volatile @Nullable String trouble;

  /**
   * Sends no request yet.
   *
   * @param source {@code tenant/source}
   * @param beginnings since when this producer delivers each source's analyses
   * @param nanos this process' monotonic clock
   */
  WriteBackLoop(
      KafkaClients clients,
      String source,
      FirstStarts beginnings,
      Delivery delivery,
      DeliveryReports reports,
      LongSupplier nanos) {
    this.clients = clients;
    this.source = source;
    this.beginnings = beginnings;
    this.delivery = delivery;
    this.reports = reports;
    this.nanos = nanos;
    this.queue = new DeliveryQueue(now());
  }

  @Override
  public void run() {
    try {
      do {
        attempt();
      } while (!stopping.await(AGAIN.toMillis(), TimeUnit.MILLISECONDS));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void attempt() {
    queue.clear();
    try (var reader = new AnalysisReader()) {
      while (!stopped()) {
        step(reader);
      }
    } catch (KafkaException e) {
      trouble = "write-back: Kafka does not answer: " + e.getMessage();
      LOG.warn("{} of {}; joining again", trouble, source);
    } catch (RuntimeException | Error e) {
      // A loop that has ended would look like a source without analyses.
      LOG.error("write-back of {}: beginning again", source, e);
      trouble = "write-back: " + e;
    }
  }

  /** Ends the loop; a delivery in progress is finished. */
  public void stop() {
    stopping.countDown();
  }

  private boolean stopped() {
    return stopping.getCount() == 0;
  }

  /** What keeps it from delivering, one line; empty if nothing does. */
  public Optional<String> trouble() {
    return Optional.ofNullable(trouble);
  }

  private void step(AnalysisReader reader) {
    if (reader.read(LOOK, now())) {
      trouble = queue.trouble().orElse(null);
    }
    Optional<Received> next = queue.next(now());
    if (next.isEmpty()) {
      return;
    }
    Received received = next.get();
    try {
      String done = delivery.deliver(received.item(), received.analysis(), this::check);
      LOG.info(
          "write-back of {} session={}: {}", received.item(), received.analysis().session(), done);
      queue.delivered(received, now());
      reports.delivered(received, done);
      reader.commit();
    } catch (SourceFailure e) {
      failed(reader, received, e.failure());
    } catch (RequestPermission.PermissionLost e) {
      LOG.info("write-back of {} is left for the next start", received.item());
    } catch (KafkaException e) {
      throw e;
    } catch (RuntimeException | StackOverflowError e) {
      LOG.error("write-back of {}", received.item(), e);
      failed(reader, received, TrackerFailure.of(Category.MALFORMED, "internal: " + e));
    }
  }

  private void failed(AnalysisReader reader, Received received, TrackerFailure failure) {
    Delivery.Blame blame;
    try {
      blame = delivery.blame(failure, this::check);
    } catch (RequestPermission.PermissionLost e) {
      return;
    }
    if (queue.failed(received, failure, blame, now()).isEmpty()) {
      reports.givenUp(received, failure.reason());
      queue.givenUp(received);
      reader.commit();
      return;
    }
    reports.failed();
    trouble = queue.trouble().orElse(null);
    LOG.warn("{}", trouble);
  }

  private long now() {
    return nanos.getAsLong();
  }

  private void check() {
    if (stopped()) {
      throw new RequestPermission.PermissionLost("the producer stops");
    }
  }

  /**
   * Reads the analyses of the source into the queue, and operators' commands to deliver one again.
   * Each source has its own consumer group: a tracker that does not answer delays only its own
   * analyses. Reading begins with what comes after the group's first start: enabling write-back
   * must not flood a tracker with everything that was ever found. A group that the broker has
   * forgotten reads again everything since that start.
   */
  private final class AnalysisReader implements AutoCloseable {
    private final Instant began = beginnings.of(source);
    private final KafkaConsumer<String, byte[]> consumer;
    private final String commands = clients.topics().commands();
    private final Map<TopicPartition, Long> committed = new HashMap<>();

    /** Joins the group. */
    AnalysisReader() {
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
      consumer.subscribe(Set.of(clients.topics().analyses(), commands), new Partitions());
    }

    /**
     * Puts what came into the queue. It must be called while analyses wait, too: that keeps the
     * membership alive.
     *
     * @param patience how long to wait for a record
     * @return whether the group has given this reader partitions; a broker that does not answer
     *     looks like a topic without news
     */
    boolean read(Duration patience, long now) {
      if (queue.isFull()) {
        consumer.pause(consumer.assignment());
      } else {
        consumer.resume(consumer.paused());
      }
      for (ConsumerRecord<String, byte[]> record : consumer.poll(patience)) {
        if (record.key() != null
            && record.key().startsWith(source + "/")
            && record.value() != null) {
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
        reports.unreadable(record, String.valueOf(e.getMessage()));
      }
    }

    /** An operator's command to deliver again; triage-stream reports unreadable ones. */
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
       * Commits a starting position for partitions without one: where the group's first start was.
       * Either this is that start, or the broker has forgotten the group.
       */
      @Override
      public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
        var unread = new HashMap<TopicPartition, Long>();
        consumer
            .committed(Set.copyOf(partitions))
            .forEach((partition, offset) -> {
              if (offset == null) {
                unread.put(partition, began.toEpochMilli());
              }
            });
        consumer
            .offsetsForTimes(unread)
            .forEach((partition, at) -> {
              if (at == null) {
                consumer.seekToEnd(Set.of(partition));
              } else {
                consumer.seek(partition, at.offset());
              }
              var position = new OffsetAndMetadata(consumer.position(partition));
              consumer.commitSync(Map.of(partition, position));
            });
      }
    }
  }
}
