package dev.flyball.runner.events;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.session.OutputChunk;
import dev.flyball.kafka.DeadLetterPublisher;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.runner.events.EventSink.RecordRejected;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends events, output and dead letters, each in the order in which they were reported. Output that
 * its topic does not accept holds up no event: a session's result has to arrive within its lease.
 * No method waits for a broker: the ledger's thread, which finds the unreadable records, has leases
 * to renew. Thread-safe.
 */
public final class SessionPublisher implements EventSink, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SessionPublisher.class);
  private static final long MOST_BYTES = 8L << 20;
  private static final long MOST_OUTPUT_BYTES = 4L << 20;

  /** Queue length from which progress and output find no room. */
  private static final int LONG_QUEUE = 512;

  /** Queue length from which dead letters find no room. */
  private static final int MOST_LETTERS = 10_000;

  private static final Executor A_MOMENT_LATER =
      CompletableFuture.delayedExecutor(200, TimeUnit.MILLISECONDS);

  private final KafkaClients clients;
  private final PublishLane events;
  private final PublishLane output;
  private final PublishLane letters;
  private final AtomicLong lostLetters = new AtomicLong();

  /** Connects in the background; nothing is read back. */
  public SessionPublisher(KafkaClients clients) {
    this.clients = clients;
    this.events = new PublishLane(clients, "events", MOST_BYTES);
    this.output = new PublishLane(clients, "output", MOST_OUTPUT_BYTES);
    this.letters = new PublishLane(clients, "dead-letters", MOST_BYTES);
  }

  @Override
  public CompletableFuture<Void> publish(LifecycleEvent event) {
    return events.add(record(event));
  }

  @Override
  public void offer(LifecycleEvent event) {
    if (events.hasRoom(LONG_QUEUE)) {
      var _ = events.add(record(event));
    }
  }

  @Override
  public boolean offer(String session, OutputChunk chunk) {
    boolean room = output.hasRoom(LONG_QUEUE);
    if (room) {
      var _ =
          output.add(
              new ProducerRecord<>(
                  clients.topics().sessionOutput(),
                  null,
                  session,
                  RecordJson.bytes(chunk),
                  EventHeaders.schema("session-output/1")));
    }
    return room;
  }

  /**
   * Publishes the dead letter of a record that cannot be read. One that finds no room, or that its
   * broker rejects, is logged and counted as lost; any other failure is tried again.
   */
  public void deadLetter(ConsumerRecord<String, byte[]> consumed, String reason) {
    if (letters.hasRoom(MOST_LETTERS)) {
      Instant now = InstantSource.system().instant();
      write(
          consumed,
          DeadLetterPublisher.record(
              clients.topics(),
              consumed.key(),
              DeadLetterPublisher.letter(consumed, reason, "runner", now)));
    } else {
      lost(consumed, "there is no room for more");
    }
  }

  private void write(
      ConsumerRecord<String, byte[]> consumed, ProducerRecord<String, byte[]> letter) {
    var _ =
        letters
            .add(letter)
            .whenComplete((_, failure) -> {
              if (failure instanceof RecordRejected) {
                lost(consumed, String.valueOf(failure.getMessage()));
              } else if (failure != null) {
                A_MOMENT_LATER.execute(() -> write(consumed, letter));
              }
            });
  }

  private void lost(ConsumerRecord<String, byte[]> consumed, String why) {
    lostLetters.incrementAndGet();
    log.error(
        "dead letter lost: topic={} partition={} offset={} cause={}",
        consumed.topic(),
        consumed.partition(),
        consumed.offset(),
        why);
  }

  /** How many dead letters could not be written since this process started. */
  public long lostLetters() {
    return lostLetters.get();
  }

  /** Sends what is queued, for a few seconds at most. */
  @Override
  public void close() {
    // All within the same seconds: a service manager waits for only a few.
    try (var closing = Executors.newVirtualThreadPerTaskExecutor()) {
      Stream.of(events, output, letters).forEach(lane -> closing.execute(lane::close));
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
