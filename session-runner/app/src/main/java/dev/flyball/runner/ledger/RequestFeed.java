package dev.flyball.runner.ledger;

import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.LostTail;
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
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads session-requests from its start on a separate thread, committed records only, and puts them
 * onto the board in batches. A hanging transaction there must not hold up the ledger's reader.
 * Whatever ends the reading, errors of the machine too, it begins again after a pause: otherwise
 * the runner would go on without it and appear healthy.
 *
 * <p>A batch is kept until all of it is on the board: after a skipped record this runner would
 * report more as read than it has. What concerns the board belongs to the ledger's thread; any
 * thread may ask for {@link #trouble} and {@link #lost}.
 */
final class RequestFeed implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RequestFeed.class);
  private static final Duration AGAIN = Duration.ofMillis(500);

  /** Not all waiting batches: a flood of requests must not keep this thread from its renewals. */
  private static final int BATCHES = 4;

  /** The ledger is read shortly before the requests: only a lasting difference is a loss. */
  private static final Duration CHECK_EVERY = Duration.ofSeconds(5);

  private final KafkaClients clients;
  private final RequestBoard board;
  private final BiConsumer<ConsumerRecord<String, byte[]>, String> deadLetters;
  private final Runnable nudge;
  final ArrayBlockingQueue<Batch> batches = new ArrayBlockingQueue<>(BATCHES);
  private final Thread thread;

  // Written by the thread, read by health.
  private volatile @Nullable String trouble;
  private volatile boolean closed;

  // Written by the ledger's thread, read by health.
  private volatile List<String> lost = List.of();

  // What was passed on last; belongs to the thread.
  private Map<Integer, Long> said = Map.of();
  private boolean saidCaughtUp;

  // The batch that is put onto the board, and how far; the rest too belongs to the ledger's thread.
  private @Nullable Batch batch;
  private int done;
  private boolean caughtUp;
  private long nextCheck = Long.MIN_VALUE;
  private List<LostTail> missed = List.of();

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

  /**
   * Creates the feed.
   *
   * @param deadLetters takes a record that cannot be read, and why
   * @param nudge runs when a batch is ready
   */
  RequestFeed(
      KafkaClients clients,
      RequestBoard board,
      BiConsumer<ConsumerRecord<String, byte[]>, String> deadLetters,
      Runnable nudge) {
    this.clients = clients;
    this.board = board;
    this.deadLetters = deadLetters;
    this.nudge = nudge;
    this.thread = Thread.ofPlatform().daemon().name("flyball-requests").unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /** Puts the batches that are ready onto the board, at most four. */
  void take() {
    for (int i = 0; i < BATCHES; i++) {
      if (batch == null) {
        batch = batches.poll();
        done = 0;
      }
      if (batch == null) {
        return;
      }
      if (done == 0) {
        batch.lost().forEach(board::lost);
      }
      for (; done < batch.records().size(); done++) {
        put(batch.records().get(done));
      }
      board.readTo(batch.readTo());
      caughtUp |= batch.caughtUp();
      batch = null;
    }
  }

  private void put(ConsumerRecord<String, byte[]> consumed) {
    try {
      board.read(consumed);
    } catch (RuntimeException | StackOverflowError e) {
      // Whatever failure a record causes, it would cause it again at every start.
      deadLetters.accept(consumed, String.valueOf(e.getMessage()));
    }
  }

  /** Whether every request that existed at the start is on the board. */
  boolean caughtUp() {
    return caughtUp;
  }

  /** Compares the ends of the partitions with the ledger, every 5 s. */
  void check(LedgerState ledger, long nowNanos) {
    if (!caughtUp || nowNanos < nextCheck) {
      return;
    }
    nextCheck = nowNanos + CHECK_EVERY.toNanos();
    List<LostTail> now = LostTail.find(ledger, board.readTo());
    lost =
        now.stream()
            .filter(missed::contains)
            .map(each -> each.text() + "; pause all, and start again with a new topics.prefix")
            .toList();
    missed = now;
  }

  /** Partitions that ended too early in two checks in a row, a line each. */
  List<String> lost() {
    return lost;
  }

  /** What is wrong with the reading now, one line; any thread. */
  Optional<String> trouble() {
    return Optional.ofNullable(trouble);
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }

  private void run() {
    String topic = clients.topics().sessionRequests();
    while (!closed) {
      try {
        follow();
      } catch (RuntimeException | Error e) {
        if (trouble == null) {
          log.warn("topic cannot be read, trying again: topic={}", topic, e);
        }
        trouble = topic + " cannot be read: " + OneLine.first(e);
        LockSupport.parkNanos(AGAIN.toNanos());
      }
    }
  }

  /** Ends when interrupted, and clears the flag: closing would otherwise take its whole limit. */
  private void follow() {
    var consumer = clients.follower("requests", Map.of("max.poll.records", "2000"));
    try {
      read(consumer);
    } catch (InterruptException | InterruptedException e) {
      log.debug("reader of requests stopped: interrupted={}", Thread.interrupted());
    } finally {
      KafkaClients.closeFollower(consumer);
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
      trouble = null;
      if (!records.isEmpty() || !readTo.equals(said) || saidCaughtUp != ends.isEmpty()) {
        Map<Integer, Long> lost = lost(records, readTo);
        said = Map.copyOf(readTo);
        saidCaughtUp = ends.isEmpty();
        batches.put(new Batch(List.copyOf(records), said, saidCaughtUp, lost));
        nudge.run();
      }
    }
  }

  /** What the broker lost: the consumer silently goes back to where the log was cut off. */
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
}
