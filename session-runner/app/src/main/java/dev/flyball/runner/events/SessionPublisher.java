package dev.flyball.runner.events;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.session.OutputChunk;
import dev.flyball.kafka.DeadLetterPublisher;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.ReplaceableProducer;
import dev.flyball.runner.events.EventSink.RecordRejected;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
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
  private final Lane events;
  private final Lane output;
  private final Lane letters;
  private final AtomicLong lostLetters = new AtomicLong();

  /** Connects in the background; nothing is read back. */
  public SessionPublisher(KafkaClients clients) {
    this.clients = clients;
    this.events = new Lane(clients, "events", MOST_BYTES);
    this.output = new Lane(clients, "output", MOST_OUTPUT_BYTES);
    this.letters = new Lane(clients, "dead-letters", MOST_BYTES);
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

  /**
   * Sends the records of one topic in their order, with its own thread and producer. A producer's
   * send() blocks for up to a minute while the topic has no metadata or the buffer is full, and
   * records of another topic must not wait for that. Thread-safe.
   */
  private static final class Lane implements AutoCloseable {
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
    Lane(KafkaClients clients, String purpose, long mostBytes) {
      // Not lz4: it unpacks a library into the system's folder for temporary files, in every
      // process that writes or reads it, and one that is killed leaves it there.
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

    /** Whether fewer records wait, and not too many bytes; else a record may be dropped. */
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
      var _ =
          producer
              .send(entry.record())
              .whenComplete((_, failure) -> {
                if (failure == null) {
                  entry.acknowledged().complete(null);
                } else {
                  failed(entry, failure);
                }
              });
    }

    /** Logged here, because most callers do not wait for the future. */
    private static void failed(Entry entry, Throwable failure) {
      log.warn(
          "record not accepted: topic={} key={} cause={}",
          entry.record().topic(),
          entry.record().key(),
          failure.toString());
      entry
          .acknowledged()
          .completeExceptionally(
              ReplaceableProducer.refusesRecord(failure)
                  ? new RecordRejected(String.valueOf(failure.getMessage()))
                  : failure);
    }
  }
}
