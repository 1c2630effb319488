package dev.flyball.runner.events;

import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.ReplaceableProducer;
import dev.flyball.runner.events.EventSink.RecordRejected;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the records of one topic in their order, with its own thread and producer. A producer's
 * send() blocks for up to a minute while the topic has no metadata or the buffer is full, and
 * records of another topic must not wait for that. Thread-safe.
 */
final class PublishLane implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(PublishLane.class);

  /** A request for each record would cost the broker more than the records do. */
  private static final String GATHERING_MS = "5";

  private final long mostBytes;
  private final ReplaceableProducer producer;

  /** An empty one is the last. */
  private final LinkedBlockingQueue<Optional<Entry>> queue = new LinkedBlockingQueue<>();

  private final AtomicLong queuedBytes = new AtomicLong();
  private final Thread thread;

  private record Entry(
      ProducerRecord<String, byte[]> record, CompletableFuture<Void> acknowledged) {}

  /**
   * Connects in the background; nothing is read back.
   *
   * @param mostBytes bytes of the queue from which records that may be lost find no room, and of
   *     the producer's buffer: agents that print much while no broker answers must not fill the
   *     heap
   */
  PublishLane(KafkaClients clients, String purpose, long mostBytes) {
    // Not lz4: it unpacks a library into the system's folder for temporary files, in every process
    // that writes or reads it, and one that is killed leaves it there.
    Map<String, String> small =
        Map.of(
            "compression.type",
            "gzip",
            "linger.ms",
            GATHERING_MS,
            "buffer.memory",
            Long.toString(mostBytes));
    this.mostBytes = mostBytes;
    this.producer =
        new ReplaceableProducer(
            purpose, () -> clients.producer(purpose, small), Duration.ofSeconds(2));
    this.thread = Thread.ofPlatform().daemon().name("flyball-" + purpose).start(this::send);
  }

  /** Whether fewer records wait, and not too many bytes: else one that may be lost is not added. */
  boolean hasRoom(int most) {
    return queue.size() < most && queuedBytes.get() < mostBytes;
  }

  /** Adds a record; the future completes like that of {@link EventSink#publish}. */
  CompletableFuture<Void> add(ProducerRecord<String, byte[]> record) {
    var entry = new Entry(record, new CompletableFuture<>());
    queuedBytes.addAndGet(record.value().length);
    queue.add(Optional.of(entry));
    return entry.acknowledged();
  }

  /** Sends what is queued, for a few seconds at most. */
  @Override
  public void close() {
    queue.add(Optional.empty());
    try {
      thread.join(Duration.ofSeconds(3));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    producer.close();
    thread.interrupt();
  }

  private void send() {
    try {
      for (var next = queue.take(); next.isPresent(); next = queue.take()) {
        send(next.get());
      }
    } catch (InterruptedException e) {
      log.debug("publisher interrupted: unsent={}", queue.size());
    }
  }

  private void send(Entry entry) {
    queuedBytes.addAndGet(-entry.record().value().length);
    try {
      producer.send(
          entry.record(),
          (metadata, failure) -> {
            if (failure == null) {
              entry.acknowledged().complete(null);
            } else {
              failed(entry, failure);
            }
          });
    } catch (RuntimeException | Error e) {
      // Errors too: sessions wait for acknowledgements that only this thread can give.
      failed(entry, e);
    }
  }

  private static Throwable refusal(Throwable failure) {
    return ReplaceableProducer.refusesRecord(failure)
        ? new RecordRejected(String.valueOf(failure.getMessage()))
        : failure;
  }

  /** Logged here, because most callers do not wait for the future. */
  private static void failed(Entry entry, Throwable failure) {
    log.warn(
        "record not accepted: topic={} key={} cause={}",
        entry.record().topic(),
        entry.record().key(),
        failure.toString());
    entry.acknowledged().completeExceptionally(refusal(failure));
  }
}
