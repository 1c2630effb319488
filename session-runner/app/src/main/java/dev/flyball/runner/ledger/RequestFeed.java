package dev.flyball.runner.ledger;

import dev.flyball.contract.text.OneLine;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.TopicTail;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads session-requests from its start on a separate thread, committed records only, and passes
 * them on in batches. A hanging transaction there must not hold up the ledger's reader.
 */
final class RequestFeed implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RequestFeed.class);

  private final KafkaClients clients;
  private final Runnable nudge;
  private final ArrayBlockingQueue<Batch> batches = new ArrayBlockingQueue<>(4);
  private final ReaderThread thread;

  // What was passed on last; belongs to the thread.
  private Map<Integer, Long> said = Map.of();
  private boolean saidCaughtUp;

  /**
   * Some records, and the reader's positions after them.
   *
   * @param readTo next offset by partition; it includes control records of transactions
   * @param caughtUp whether every record that existed at the start has been read
   * @param lost by partition, the offset from which the broker lost the earlier records
   */
  record Batch(
      List<ConsumerRecord<String, byte[]>> records,
      Map<Integer, Long> readTo,
      boolean caughtUp,
      Map<Integer, Long> lost) {}

  /** Creates the feed; {@code nudge} runs when a batch is ready. */
  RequestFeed(KafkaClients clients, Runnable nudge) {
    this.clients = clients;
    this.nudge = nudge;
    this.thread =
        new ReaderThread("flyball-requests", clients.topics().sessionRequests(), this::run);
  }

  void start() {
    thread.start();
  }

  /** The next batch, null if there is none now. */
  @Nullable Batch next() {
    return batches.poll();
  }

  /** What is wrong with the reading now, one line; any thread. */
  Optional<String> trouble() {
    return thread.trouble();
  }

  @Override
  public void close() {
    thread.close();
  }

  private void run() {
    var consumer = clients.follower("requests", Map.of("max.poll.records", "2000"));
    try {
      follow(consumer);
    } finally {
      KafkaClients.closeFollower(consumer);
    }
  }

  /** Ends when interrupted, and clears the flag: closing would otherwise take its whole limit. */
  private void follow(KafkaConsumer<String, byte[]> consumer) {
    try {
      read(consumer);
    } catch (InterruptException | InterruptedException e) {
      log.debug("reader of requests stopped: interrupted={}", Thread.interrupted());
    }
  }

  private void read(KafkaConsumer<String, byte[]> consumer) throws InterruptedException {
    String topic = clients.topics().sessionRequests();
    var tail = TopicTail.of(consumer, topic);
    // Older records must not be read a second time: they would appear newer than what replaced
    // them.
    said.forEach(
        (partition, offset) -> consumer.seek(new TopicPartition(topic, partition), offset));
    Map<TopicPartition, Long> ends = new HashMap<>(tail.ends());
    while (true) {
      var records = new ArrayList<ConsumerRecord<String, byte[]>>();
      consumer.poll(Duration.ofMillis(500)).forEach(records::add);
      Map<Integer, Long> readTo = tail.positions();
      ends.entrySet().removeIf(end -> consumer.position(end.getKey()) >= end.getValue());
      thread.works();
      if (!records.isEmpty() || !readTo.equals(said) || saidCaughtUp != ends.isEmpty()) {
        Map<Integer, Long> lost = lost(records, readTo);
        said = Map.copyOf(readTo);
        saidCaughtUp = ends.isEmpty();
        batches.put(new Batch(List.copyOf(records), said, saidCaughtUp, lost));
        nudge.run();
      }
    }
  }

  /**
   * Finds the records that the broker lost: the consumer silently goes back to where the log was
   * cut off.
   */
  private Map<Integer, Long> lost(
      List<ConsumerRecord<String, byte[]>> records, Map<Integer, Long> readTo) {
    var first = new HashMap<>(readTo);
    records.forEach(each -> first.merge(each.partition(), each.offset(), Math::min));
    first.entrySet().removeIf(each -> each.getValue() >= said.getOrDefault(each.getKey(), 0L));
    first.forEach((partition, from) ->
        log.error(
            "session requests were lost by their broker: partition={} from={}", partition, from));
    return Map.copyOf(first);
  }

  /**
   * A thread that reads until it is closed. Whatever ends its work, errors of the machine too, the
   * work begins again after a pause. Otherwise the runner would go on without it and appear
   * healthy.
   */
  private static final class ReaderThread implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ReaderThread.class);
    private static final Duration AGAIN = Duration.ofMillis(500);

    private final String what;
    private final Work work;
    private final Thread thread;
    private volatile boolean closed;
    // Written by the thread, read by health.
    private volatile @Nullable String trouble;

    /** Reads until it is interrupted; it closes what it opens. */
    interface Work {
      void read() throws InterruptedException;
    }

    /**
     * Creates the thread without starting it.
     *
     * @param what is read, for log and health
     */
    ReaderThread(String name, String what, Work work) {
      this.what = what;
      this.work = work;
      this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this::run);
    }

    void start() {
      thread.start();
    }

    /** Clears the trouble, because something was read. */
    void works() {
      trouble = null;
    }

    /** What is wrong now, one line; any thread. */
    Optional<String> trouble() {
      return Optional.ofNullable(trouble);
    }

    @Override
    public void close() {
      closed = true;
      thread.interrupt();
    }

    private void run() {
      while (!closed) {
        try {
          work.read();
        } catch (InterruptedException | InterruptException e) {
          log.debug("reader interrupted: topic={} interrupted={}", what, Thread.interrupted());
        } catch (RuntimeException | Error e) {
          if (trouble == null) {
            log.warn("topic cannot be read, trying again: topic={}", what, e);
          }
          trouble = what + " cannot be read: " + OneLine.first(e);
          LockSupport.parkNanos(AGAIN.toNanos());
        }
      }
    }
  }
}
