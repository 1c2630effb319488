package dev.flyball.runner.ledger;

import dev.flyball.contract.ledger.LedgerEntry.Position;
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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bodies of requests: the newest few are kept as they come, older ones are read again on a thread
 * of its own when their turn comes. So a million waiting requests cost an index and no bodies.
 */
final class RequestBodies implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RequestBodies.class);
  private static final int KEPT = 256;
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  /** A body that is not there after this holds up no other request any more. */
  private static final Duration LATE = Duration.ofSeconds(1);

  /** A late one is asked for this seldom: asking holds up the others. */
  private static final Duration AGAIN = Duration.ofSeconds(5);

  private static final int ASKED = 64;

  /**
   * A fetch that waits at the log's end would hold up the next seek for as long as it waits. The
   * neighbours of a wanted record are wanted soon: they waited as long.
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

  // Guarded by this: the next two.
  private final Map<Position, Asked> asked =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Position, Asked> eldest) {
          return size() > ASKED;
        }
      };

  private final Map<Position, Body> kept =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Position, Body> eldest) {
          return size() > KEPT;
        }
      };

  /** A body, or the knowledge that there is none at that place any more: then value is null. */
  record Body(byte @Nullable [] value, long publishedMs) {}

  /**
   * A body that is being read.
   *
   * @param first when it was asked for first, elapsed nanoseconds
   * @param last when its reading was begun last
   */
  private record Asked(long first, long last) {}

  /** With what to do when a body has been read. */
  RequestBodies(KafkaClients clients, Runnable loaded) {
    this(clients, loaded, System::nanoTime);
  }

  /** With another clock of elapsed nanoseconds. */
  RequestBodies(KafkaClients clients, Runnable loaded, LongSupplier nanos) {
    this.nanos = nanos;
    this.clients = clients;
    this.loaded = loaded;
    this.thread = new ReaderThread("flyball-bodies", "bodies of " + topic(), this::run);
  }

  /** The topic that they are read from. */
  String topic() {
    return clients.topics().sessionRequests();
  }

  void start() {
    thread.start();
  }

  /** A record has just been read. */
  synchronized void keep(Position at, byte[] value, long publishedMs) {
    kept.put(at, new Body(value, publishedMs));
  }

  /** The body, if it is at hand; if it is not, it will be read. */
  Optional<Body> get(Position at) {
    synchronized (this) {
      Body body = kept.get(at);
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
      log.debug("too many bodies are being read; {} waits", at);
    }
    return Optional.empty();
  }

  /** Whether a body was asked for and does not come. */
  synchronized boolean late(Position at) {
    Asked since = asked.get(at);
    return since != null && nanos.getAsLong() - since.first >= LATE.toNanos();
  }

  /** A partition's records from this offset on are gone. */
  synchronized void lost(int partition, long from) {
    kept.keySet().removeIf(at -> at.partition() == partition && at.offset() >= from);
  }

  /** What is wrong with the reading now, one line; any thread. */
  Optional<String> trouble() {
    return thread.trouble().or(this::lateOne);
  }

  /** One that is still requested: one that no claim needs any more is no trouble. */
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
      log.debug("reader of bodies stopped, interrupted {}", Thread.interrupted());
    }
  }

  /** What is not found in time is asked for again as long as it is wanted. */
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

  /** A record beyond the wanted place means that the wanted one was compacted away. */
  private synchronized void keep(Position at, List<ConsumerRecord<String, byte[]>> found) {
    if (found.getFirst().offset() != at.offset()) {
      kept.put(at, new Body(null, 0));
    }
    for (ConsumerRecord<String, byte[]> each : found) {
      var there = new Position(each.partition(), each.offset());
      kept.put(there, new Body(each.value(), each.timestamp()));
    }
  }
}
