package dev.flyball.ops.console.event;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Threads that pass on what happens, each as the group {@code PREFIX-NAME} of session-events: what
 * is not passed on yet stays in Kafka. A group without a position begins at the end: an old log
 * must not call a person.
 */
public final class EventReaders implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EventReaders.class);
  private static final Duration TICK = Duration.ofMillis(500);
  private static final Duration RETRY = Duration.ofSeconds(2);

  /** How long the end of everything waits for what is being passed on. */
  private static final Duration STOP_LIMIT = Duration.ofSeconds(4);

  private final KafkaClients clients;
  private final List<Thread> threads = new ArrayList<>();
  private final CountDownLatch stopping = new CountDownLatch(1);

  /** No reader yet. */
  public EventReaders(KafkaSettings kafka) {
    this.clients = new KafkaClients(kafka, "console");
  }

  /** What a reader does with events. */
  public interface Handler {
    /**
     * Takes what came within half a second, perhaps nothing.
     *
     * @param keep keeps the position behind these events
     * @throws KafkaException to read again from the position that was kept
     */
    void handle(List<LifecycleEvent> events, Runnable keep) throws InterruptedException;
  }

  /**
   * Starts a reader. Its handler is called by one thread, again and again until all readers end.
   *
   * @param properties of its consumer, besides those of its group
   */
  public void start(String name, Map<String, String> properties, Handler handler) {
    threads.add(Thread.ofVirtual().name(name).start(() -> run(name, properties, handler)));
  }

  private void run(String name, Map<String, String> properties, Handler handler) {
    String prefix = clients.topics().prefix();
    var all = new HashMap<String, Object>(properties);
    all.put("group.id", prefix.substring(0, prefix.length() - 1) + "-" + name);
    all.put("auto.offset.reset", "latest");
    try {
      while (true) {
        try (KafkaConsumer<String, byte[]> consumer = clients.consumer(name, all)) {
          consumer.subscribe(Set.of(clients.topics().sessionEvents()));
          while (stopping.getCount() > 0) {
            handler.handle(read(consumer), consumer::commitSync);
          }
        } catch (KafkaException e) {
          LOG.warn("{}: Kafka does not answer: {}; joining again", name, e.getMessage());
        } catch (RuntimeException | Error e) {
          // Errors too: without this thread nothing would be passed on any more.
          LOG.error("{}: beginning again", name, e);
        }
        pause(RETRY);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** An event that cannot be read is reported by the projection. */
  private static List<LifecycleEvent> read(KafkaConsumer<String, byte[]> consumer) {
    var events = new ArrayList<LifecycleEvent>();
    for (ConsumerRecord<String, byte[]> record : consumer.poll(TICK)) {
      try {
        if (record.value() != null) {
          events.add(EventHeaders.read(record.headers(), record.value()));
        }
      } catch (UnreadableRecord e) {
        LOG.debug("unreadable event at offset {}", record.offset());
      }
    }
    return events;
  }

  /** Waits for as long; throws once the readers end. */
  public void pause(Duration duration) throws InterruptedException {
    if (stopping.await(duration.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new InterruptedException("ending");
    }
  }

  /** Ends the readers, once what they have is passed on; that has a limit of time. */
  @Override
  public void close() {
    stopping.countDown();
    Instant end = Instant.now().plus(STOP_LIMIT);
    try {
      for (Thread thread : threads) {
        if (!thread.join(Duration.between(Instant.now(), end))) {
          thread.interrupt();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
