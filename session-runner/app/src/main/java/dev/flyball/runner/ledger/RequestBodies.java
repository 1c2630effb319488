package dev.flyball.runner.ledger;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.text.OneLine;
import dev.flyball.contract.topic.Position;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.runner.queue.Waiting;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * Reads a request a second time once its claim has taken effect, on the thread that starts its
 * session: of the requests that wait only the order is in memory.
 */
final class RequestBodies implements AutoCloseable {
  /** Well within the time that a start may take. */
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  /** One record, without a wait for more: the next read begins elsewhere. */
  private static final Map<String, String> QUICK =
      Map.of(
          "max.poll.records", "1",
          "fetch.max.wait.ms", "1",
          "max.partition.fetch.bytes", "65536");

  private final KafkaClients clients;
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by the lock.
  private @Nullable KafkaConsumer<String, byte[]> consumer;
  private boolean closed;

  RequestBodies(KafkaClients clients) {
    this.clients = clients;
  }

  /**
   * Reads a request; any thread.
   *
   * @return empty if its record was replaced, deleted or lost
   * @throws IOException if no broker returns it within three seconds
   */
  Optional<SessionRequest> read(Waiting wanted) throws IOException {
    long end = System.nanoTime() + PATIENCE.toNanos();
    String why = "no broker returned it in time";
    try {
      if (lock.tryLock(PATIENCE.toNanos(), TimeUnit.NANOSECONDS)) {
        try {
          ConsumerRecord<String, byte[]> found = find(wanted.at(), end);
          if (found != null) {
            return request(wanted, found);
          }
        } catch (KafkaException e) {
          disconnect();
          why = OneLine.first(e);
        } finally {
          lock.unlock();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new IOException(
        clients.topics().sessionRequests()
            + ": the request at "
            + wanted.at()
            + " cannot be read: "
            + why);
  }

  /** The first record from here on; one before comes from a broker that does not have the place. */
  private @Nullable ConsumerRecord<String, byte[]> find(Position at, long end) {
    if (closed) {
      return null;
    }
    KafkaConsumer<String, byte[]> from = consumer;
    if (from == null) {
      from = clients.consumer("bodies", QUICK);
      consumer = from;
    }
    var partition = new TopicPartition(clients.topics().sessionRequests(), at.partition());
    from.assign(List.of(partition));
    from.seek(partition, at.offset());
    while (System.nanoTime() < end) {
      for (ConsumerRecord<String, byte[]> each : from.poll(Duration.ofMillis(200))) {
        if (each.offset() >= at.offset()) {
          return each;
        }
      }
    }
    return null;
  }

  /**
   * A record beyond the wanted place means that the wanted one was compacted away; another one at
   * the place, that the broker lost it.
   */
  private static Optional<SessionRequest> request(
      Waiting wanted, ConsumerRecord<String, byte[]> found) {
    if (found.offset() != wanted.at().offset()
        || !wanted.key().equals(found.key())
        || found.value() == null) {
      return Optional.empty();
    }
    return Optional.of(RecordJson.read(found.value(), SessionRequest.class))
        .filter(it -> it.request().equals(wanted.request()));
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      disconnect();
    } finally {
      lock.unlock();
    }
  }

  private void disconnect() {
    if (consumer != null) {
      KafkaClients.closeFollower(consumer);
      consumer = null;
    }
  }
}
