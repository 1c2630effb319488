package dev.flyball.runner.events;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.session.OutputChunk;
import dev.flyball.kafka.KafkaClients;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Sends events and output, each in the order in which they were reported. Output that its topic
 * does not accept holds up no event: a session's result has to arrive within its lease.
 * Thread-safe.
 */
public final class SessionPublisher implements EventSink, AutoCloseable {
  private static final long MOST_BYTES = 8L << 20;
  private static final long MOST_OUTPUT_BYTES = 4L << 20;

  private final KafkaClients clients;
  private final PublishLane events;
  private final PublishLane output;
  private final AtomicInteger dropped = new AtomicInteger();

  /** Connects in the background; nothing is read back. */
  public SessionPublisher(KafkaClients clients) {
    this.clients = clients;
    this.events = new PublishLane(clients, "events", MOST_BYTES);
    this.output = new PublishLane(clients, "output", MOST_OUTPUT_BYTES);
  }

  @Override
  public CompletableFuture<Void> publish(LifecycleEvent event) {
    return events.awaited(record(event));
  }

  @Override
  public void report(LifecycleEvent event) {
    events.add(record(event));
  }

  @Override
  public void offer(LifecycleEvent event) {
    if (events.hasRoom()) {
      events.add(record(event));
    } else {
      dropped.incrementAndGet();
    }
  }

  @Override
  public boolean offer(String session, OutputChunk chunk) {
    if (!output.hasRoom()) {
      dropped.incrementAndGet();
      return false;
    }
    output.add(
        new ProducerRecord<>(
            clients.topics().sessionOutput(),
            null,
            session,
            RecordJson.bytes(chunk),
            EventHeaders.schema("session-output/1")));
    return true;
  }

  /** How many progress events and output chunks were dropped because the queue was full. */
  public int dropped() {
    return dropped.get();
  }

  /** Sends what is queued, for a few seconds at most. */
  @Override
  public void close() {
    // Both within the same seconds: a service manager waits for only a few.
    Thread other = Thread.ofVirtual().name("flyball-output-close").start(output::close);
    events.close();
    try {
      other.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private ProducerRecord<String, byte[]> record(LifecycleEvent event) {
    return new ProducerRecord<>(
        clients.topics().sessionEvents(),
        null,
        event.subject(),
        RecordJson.bytes(event.data()),
        EventHeaders.of(event));
  }
}
