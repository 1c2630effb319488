package dev.flyball.triage.topology;

import static java.util.stream.Collectors.toSet;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.LostTail;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.LedgerAtEnd;
import dev.flyball.kafka.TopicTail;
import dev.flyball.ops.telemetry.Health;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the end of session-requests with the ledger: before the stream starts, so that nothing
 * is written in between, and every minute. The stream's tasks replace what is lost.
 */
final class RequestsWatch implements LostRequests {
  private static final Logger LOG = LoggerFactory.getLogger(RequestsWatch.class);
  private static final long INTERVAL_SECONDS = 60;
  private static final Duration STUCK = Duration.ofSeconds(30);

  /**
   * A loss in a replicated topic is believed if it is still there after this time. A broker that
   * was frozen or cut off believes for a moment after its return that it still leads, and tells an
   * end that is long past. No longer: a start waits for it, and a stop may wait for the start.
   */
  private static final long BELIEVED_SECONDS = 5;

  /**
   * A larger loss is not filled up, because an offset that far away is more likely a fault in the
   * ledger.
   */
  private static final long MOST_MISSING = 10_000_000;

  private final KafkaClients clients;
  private final LongConsumer counted;
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final ConcurrentMap<Integer, Loss> losses = new ConcurrentHashMap<>();
  private final ConcurrentMap<Integer, Long> replacedNanos = new ConcurrentHashMap<>();

  /** The part of a request that is read. */
  private record Head(@Nullable String request) {}

  /**
   * @param counted takes the number of lost offsets when a loss is found
   */
  RequestsWatch(KafkaClients clients, LongConsumer counted) {
    this.clients = clients;
    this.counted = counted;
  }

  /** Checks, then repeatedly on a thread. Takes some seconds longer where something is lost. */
  void start() {
    look();
    Thread.ofPlatform().daemon().name("flyball-requests-watch").start(this::run);
  }

  void stop() {
    stopping.countDown();
  }

  @Override
  public @Nullable Loss of(int partition) {
    Loss loss = losses.get(partition);
    return loss == null || loss.tail().missing() > MOST_MISSING ? null : loss;
  }

  @Override
  public void replaced(int partition) {
    replacedNanos.put(partition, System.nanoTime());
    losses.remove(partition);
  }

  /** Degraded while records are lost and not replaced. */
  Health health() {
    return losses.values().stream()
        .map(loss -> Health.degraded("triage stream: " + loss.tail().text() + fix(loss)))
        .reduce(Health.healthy(), Health::and);
  }

  private static String fix(Loss loss) {
    return loss.tail().missing() > MOST_MISSING
        ? "; too many to replace: choose a new topics.prefix"
        : "; they are replaced";
  }

  private void run() {
    try {
      while (!stopping.await(INTERVAL_SECONDS, TimeUnit.SECONDS)) {
        look();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Checks once. The next check makes up for one that fails, and the stream reports the broker's
   * trouble.
   */
  private void look() {
    try {
      Seen seen = see();
      if (clients.settings().replication() > 1 && !losses.keySet().containsAll(seen.partitions())) {
        if (stopping.await(BELIEVED_SECONDS, TimeUnit.SECONDS)) {
          return;
        }
        Set<Integer> known = new HashSet<>(losses.keySet());
        known.addAll(seen.partitions());
        seen = see().only(known);
      }
      found(seen);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      LOG.warn("session-requests was not compared with the ledger: {}", e.getMessage());
    }
  }

  /** One comparison; {@code began} by System.nanoTime. */
  private record Seen(long began, LedgerState ledger, Collection<LostTail> tails) {
    Set<Integer> partitions() {
      return tails.stream().map(LostTail::partition).collect(toSet());
    }

    /** Whatever was written meanwhile: what is still missing was missing before. */
    Seen only(Set<Integer> partitions) {
      return new Seen(
          began,
          ledger,
          tails.stream().filter(tail -> partitions.contains(tail.partition())).toList());
    }
  }

  private Seen see() {
    long began = System.nanoTime();
    LedgerState ledger = LedgerAtEnd.read(clients, () -> stopping.getCount() > 0).state();
    // Uncommitted records are read too, because a hanging transaction has not lost its records.
    try (var ending = clients.consumer("lost", Map.of("isolation.level", "read_uncommitted"))) {
      Map<Integer, Long> ends = new HashMap<>();
      TopicTail.of(ending, clients.topics().sessionRequests())
          .ends()
          .forEach((partition, end) -> ends.put(partition.partition(), end));
      return new Seen(began, ledger, LostTail.find(ledger, ends));
    }
  }

  private void found(Seen seen) {
    losses.keySet().retainAll(seen.partitions());
    for (LostTail tail : seen.tails()) {
      if (replacedNanos.getOrDefault(tail.partition(), Long.MIN_VALUE) < seen.began()) {
        var loss = new Loss(tail, left(tail.partition()), seen.ledger());
        if (losses.put(tail.partition(), loss) == null) {
          counted.accept(tail.missing());
        }
      }
    }
  }

  private Map<String, String> left(int partition) {
    var at = new TopicPartition(clients.topics().sessionRequests(), partition);
    var left = new HashMap<String, String>();
    try (KafkaConsumer<String, byte[]> consumer = clients.consumer("left")) {
      boolean read =
          new TopicTail(consumer, List.of(at))
              .readToEnd(
                  record -> {
                    if (record.key() != null) {
                      left.compute(record.key(), (key, old) -> request(record.value()));
                    }
                  },
                  STUCK);
      if (!read) {
        throw new TimeoutException(at + ": nothing came for " + STUCK.toSeconds() + " s");
      }
    }
    return left;
  }

  /**
   * Null for a tombstone. A value that cannot be read runs nowhere, and is no request of any item.
   */
  private static @Nullable String request(byte @Nullable [] value) {
    if (value == null) {
      return null;
    }
    try {
      String request = RecordJson.read(value, Head.class).request();
      return request == null ? "" : request;
    } catch (UnreadableRecord e) {
      return "";
    }
  }
}
