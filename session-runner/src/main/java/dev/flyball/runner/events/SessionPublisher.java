package dev.flyball.runner.events;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.session.OutputChunk;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.ReplaceableProducer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends events and output in the order in which they were said, on a thread of its own, because a
 * producer's send() blocks while there are no metadata or no buffer. Thread-safe.
 */
public final class SessionPublisher implements EventSink, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SessionPublisher.class);

  /**
   * Entries of the queue from which progress and output are dropped; what must arrive is never
   * dropped.
   */
  private static final int LONG_QUEUE = 512;

  /** The same in bytes: agents that print much while no broker answers must not fill the heap. */
  private static final long LARGE_QUEUE = 8L << 20;

  private static final Map<String, String> SMALL =
      Map.of("compression.type", "lz4", "buffer.memory", Long.toString(LARGE_QUEUE));

  private final KafkaClients clients;
  private final ReplaceableProducer producer;
  private final LinkedBlockingQueue<Entry> queue = new LinkedBlockingQueue<>();
  private final AtomicLong queuedBytes = new AtomicLong();
  private final AtomicInteger dropped = new AtomicInteger();
  private final Thread thread;
  private volatile boolean closing;

  private record Entry(
      ProducerRecord<String, byte[]> record, CompletableFuture<Void> acknowledged) {}

  /** Connects in the background; nothing is read back. */
  public SessionPublisher(KafkaClients clients) {
    this.clients = clients;
    this.producer =
        new ReplaceableProducer(
            "events", () -> clients.producer("events", SMALL), Duration.ofSeconds(2));
    this.thread = Thread.ofPlatform().daemon().name("flyball-events").start(this::send);
  }

  @Override
  public CompletableFuture<Void> publish(LifecycleEvent event) {
    var acknowledged = new CompletableFuture<Void>();
    add(new Entry(record(event), acknowledged));
    return acknowledged;
  }

  @Override
  public void offer(LifecycleEvent event) {
    if (hasRoom()) {
      add(new Entry(record(event), new CompletableFuture<>()));
    } else {
      dropped.incrementAndGet();
    }
  }

  @Override
  public boolean offer(String session, OutputChunk chunk) {
    if (!hasRoom()) {
      dropped.incrementAndGet();
      return false;
    }
    var record =
        new ProducerRecord<String, byte[]>(
            clients.topics().sessionOutput(),
            null,
            session,
            RecordJson.bytes(chunk),
            EventHeaders.schema("session-output/1"));
    add(new Entry(record, new CompletableFuture<>()));
    return true;
  }

  private boolean hasRoom() {
    return queue.size() < LONG_QUEUE && queuedBytes.get() < LARGE_QUEUE;
  }

  private void add(Entry entry) {
    queuedBytes.addAndGet(entry.record().value().length);
    queue.add(entry);
  }

  /** Progress events and output chunks that were dropped because the broker did not take them. */
  public int dropped() {
    return dropped.get();
  }

  /** Sends what is queued, for a few seconds at most. */
  @Override
  public void close() {
    closing = true;
    try {
      thread.join(Duration.ofSeconds(3));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    producer.close();
    thread.interrupt();
  }

  private ProducerRecord<String, byte[]> record(LifecycleEvent event) {
    return new ProducerRecord<>(
        clients.topics().sessionEvents(),
        null,
        event.subject(),
        RecordJson.bytes(event.data()),
        EventHeaders.of(event));
  }

  private void send() {
    try {
      while (!closing || !queue.isEmpty()) {
        Entry entry = queue.poll(100, java.util.concurrent.TimeUnit.MILLISECONDS);
        if (entry != null) {
          queuedBytes.addAndGet(-entry.record().value().length);
          send(entry);
        }
      }
    } catch (InterruptedException e) {
      log.debug("event publisher interrupted with {} entries left", queue.size());
    }
  }

  private void send(Entry entry) {
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
      // Errors too: sessions wait for acknowledgements that this thread alone can give.
      failed(entry, e);
    }
  }

  private static Throwable refusal(Throwable failure) {
    return ReplaceableProducer.refusesRecord(failure)
        ? new RecordRefused(
            String.valueOf(failure.getMessage()), failure instanceof RecordTooLargeException)
        : failure;
  }

  /** Said here, because most of those who publish do not wait. */
  private static void failed(Entry entry, Throwable failure) {
    log.warn(
        "record of {} for {} was not taken: {}",
        entry.record().topic(),
        entry.record().key(),
        failure.toString());
    entry.acknowledged().completeExceptionally(refusal(failure));
  }
}
