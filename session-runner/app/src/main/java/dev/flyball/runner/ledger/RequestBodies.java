package dev.flyball.runner.ledger;

import dev.flyball.contract.topic.Position;
import dev.flyball.kafka.KafkaClients;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bodies of requests. The newest few are kept as they come. Older ones are read again, on a
 * separate thread, when they are due to be claimed. So a million waiting requests cost an index and
 * no bodies.
 */
final class RequestBodies implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RequestBodies.class);
  private static final int KEPT = 256;
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  /** A body that is not read within this time no longer holds up other requests. */
  private static final Duration LATE = Duration.ofSeconds(1);

  /** Time between two reads of a late body, because each read holds up the others. */
  private static final Duration AGAIN = Duration.ofSeconds(5);

  private static final int ASKED = 64;

  /**
   * A fetch that waits at the log's end would hold up the next seek for as long as it waits. The
   * neighbours of a wanted record are wanted soon, because they have waited as long.
   */
  private static final Map<String, String> QUICK =
      Map.of(
          "max.poll.records", "32",
          "fetch.max.wait.ms", "1",
          "max.partition.fetch.bytes", "65536");

  private final KafkaClients clients;
  private final Runnable loaded;
  private final LinkedBlockingQueue<Position> wanted = new LinkedBlockingQueue<>(16);
  private final ReaderThread thread;
  private final LongSupplier nanos;

  // The next two maps are guarded by this.
  private final Map<Position, Asked> asked =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Position, Asked> eldest) {
          return size() > ASKED;
        }
      };

  /** By position; a null value means that no record exists there any more. */
  private final Map<Position, ConsumerRecord<String, byte[]>> kept =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(
            Map.Entry<Position, ConsumerRecord<String, byte[]>> eldest) {
          return size() > KEPT;
        }
      };

  /**
   * A body that is being read.
   *
   * @param first when it was first requested, elapsed nanoseconds
   * @param last when it was last requested, elapsed nanoseconds
   */
  private record Asked(long first, long last) {}

  /** Creates the reader; {@code loaded} runs when a body has been read. */
  RequestBodies(KafkaClients clients, Runnable loaded) {
    this(clients, loaded, System::nanoTime);
  }

  /** The same with another clock of elapsed nanoseconds. */
  RequestBodies(KafkaClients clients, Runnable loaded, LongSupplier nanos) {
    this.nanos = nanos;
    this.clients = clients;
    this.loaded = loaded;
    this.thread = new ReaderThread("flyball-bodies", "bodies of " + topic(), this::run);
  }

  /** The topic that bodies are read from. */
  String topic() {
    return clients.topics().sessionRequests();
  }

  void start() {
    thread.start();
  }

  /** Keeps a record that has just been read. */
  synchronized void keep(ConsumerRecord<String, byte[]> record) {
    kept.put(new Position(record.partition(), record.offset()), record);
  }

  /**
   * Returns the record if it is in memory, with a null value if it was deleted; otherwise requests
   * it and returns empty.
   */
  Optional<ConsumerRecord<String, byte[]>> get(Position at) {
    synchronized (this) {
      ConsumerRecord<String, byte[]> body = kept.get(at);
      if (body != null) {
        asked.remove(at);
        return Optional.of(body);
      }
      long now = nanos.getAsLong();
      Asked before = asked.get(at);
      if (before != null && late(at) && now - before.last < AGAIN.toNanos()) {
        return Optional.empty();
      }
      asked.put(at, new Asked(before == null ? now : before.first, now));
    }
    if (!wanted.contains(at) && !wanted.offer(at)) {
      log.debug("too many bodies are being read: waiting={}", at);
    }
    return Optional.empty();
  }

  /** Whether a body was requested and has not come for a second. */
  synchronized boolean late(Position at) {
    Asked since = asked.get(at);
    return since != null && nanos.getAsLong() - since.first >= LATE.toNanos();
  }

  /** Drops a partition's bodies from this offset on, because the broker lost them. */
  synchronized void lost(int partition, long from) {
    kept.keySet().removeIf(at -> at.partition() == partition && at.offset() >= from);
  }

  /** What is wrong with the reading now, one line; any thread. */
  Optional<String> trouble() {
    return thread.trouble().or(this::lateOne);
  }

  /** A late body that is still requested; a body that no claim needs any more is no trouble. */
  private synchronized Optional<String> lateOne() {
    long now = nanos.getAsLong();
    return asked.entrySet().stream()
        .filter(each -> late(each.getKey()))
        .filter(each -> now - each.getValue().last < 2 * AGAIN.toNanos())
        .findFirst()
        .map(each ->
            topic()
                + " partition "
                + each.getKey().partition()
                + ": the request at offset "
                + each.getKey().offset()
                + " cannot be read for "
                + Duration.ofNanos(now - each.getValue().first).toSeconds()
                + " s; others start meanwhile");
  }

  @Override
  public void close() {
    thread.close();
  }

  private void run() {
    try (var consumer = clients.consumer("bodies", QUICK)) {
      thread.works();
      follow(consumer);
    }
  }

  /** Ends when interrupted, and clears the flag: closing would otherwise take its whole limit. */
  private void follow(Consumer<String, byte[]> consumer) {
    try {
      while (true) {
        read(consumer, wanted.take());
      }
    } catch (InterruptedException | InterruptException e) {
      log.debug("reader of bodies stopped: interrupted={}", Thread.interrupted());
    }
  }

  /**
   * Reads one body. A body that is not found in time is requested again as long as it is wanted.
   */
  private void read(Consumer<String, byte[]> consumer, Position at) {
    var partition = new TopicPartition(topic(), at.partition());
    consumer.assign(List.of(partition));
    consumer.seek(partition, at.offset());
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (System.nanoTime() < end) {
      List<ConsumerRecord<String, byte[]>> found =
          consumer.poll(Duration.ofMillis(200)).records(partition);
      thread.works();
      if (!found.isEmpty()) {
        keep(at, found);
        loaded.run();
        return;
      }
    }
  }

  /**
   * A record beyond the wanted place means that the wanted one was compacted away. Records before
   * it come from a broker that does not have the place, as one may say that was just cut off: the
   * wanted one is requested again.
   */
  private synchronized void keep(Position at, List<ConsumerRecord<String, byte[]>> found) {
    if (found.getFirst().offset() > at.offset()) {
      kept.put(at, new ConsumerRecord<>(topic(), at.partition(), at.offset(), null, null));
    }
    found.forEach(this::keep);
  }
}
