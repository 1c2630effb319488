package dev.flyball.bench;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.SpentRequest;
import dev.flyball.contract.topic.Position;
import dev.flyball.kafka.KafkaClients;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * What triage-stream writes in a real installation: a request for each session, and a tombstone
 * after its end. They are real records, which real runners read. The simulated runners learn of
 * them by the broker's acknowledgement. Belongs to the simulation's thread.
 */
final class OfferedRequests implements AutoCloseable {
  private final KafkaProducer<String, byte[]> producer;
  private final String topic;

  /** Written by the producer's thread. */
  private final Queue<Runnable> acknowledged = new ConcurrentLinkedQueue<>();

  private final Map<String, Offer> waiting = new LinkedHashMap<>();
  private final Map<String, Long> replaced = new HashMap<>();
  private final Map<Integer, Long> readTo = new HashMap<>();
  private int published;
  private int arrived;

  /**
   * A request that no claim has won.
   *
   * @param seen when the broker acknowledged it, {@link System#nanoTime}
   */
  record Offer(String request, ItemKey item, Position at, long seen) {}

  OfferedRequests(KafkaClients clients) {
    producer = clients.producer("requests");
    topic = clients.topics().sessionRequests();
  }

  void publish() {
    int number = ++published;
    String item = Pool.item(number);
    var request = Pool.request(number);
    send(
        item,
        RecordJson.bytes(request),
        (at, seen) -> {
          arrived++;
          waiting.put(
              request.request(), new Offer(request.request(), ItemKey.parse(item), at, seen));
        });
  }

  /** Withdraws the request of a session that has ended, as triage-stream does. */
  void withdraw(Lease ended) {
    send(ended.item().toString(), null, (at, seen) -> replaced.put(ended.request(), at.offset()));
  }

  private void send(String key, byte @Nullable [] value, BiConsumer<Position, Long> then) {
    var record =
        new ProducerRecord<>(topic, null, key, value, EventHeaders.schema("session-request/1"));
    var _ =
        producer.send(
            record,
            (metadata, failure) -> {
              if (failure == null) {
                long seen = System.nanoTime();
                var at = new Position(metadata.partition(), metadata.offset());
                acknowledged.add(() -> {
                  readTo.merge(at.partition(), at.offset() + 1, Math::max);
                  then.accept(at, seen);
                });
              }
            });
  }

  /** Takes what was acknowledged since the last call; true if that was anything. */
  boolean take() {
    boolean any = false;
    for (Runnable next = acknowledged.poll(); next != null; next = acknowledged.poll()) {
      next.run();
      any = true;
    }
    return any;
  }

  /** The first of them, in the order in which every runner offers them. */
  List<Offer> first(int most) {
    return waiting.values().stream().limit(most).toList();
  }

  /** All that wait, in order. */
  List<Offer> all() {
    return List.copyOf(waiting.values());
  }

  /** Whether every request that was published has arrived. */
  boolean allArrived() {
    return arrived == published;
  }

  int waiting() {
    return waiting.size();
  }

  /** A claim took effect; returns its request. */
  Optional<Offer> claimed(Lease lease) {
    return Optional.ofNullable(waiting.remove(lease.request()));
  }

  void settled(String request) {
    replaced.remove(request);
  }

  OptionalLong replacedBy(SpentRequest spent) {
    Long by = replaced.get(spent.request());
    return by == null ? OptionalLong.empty() : OptionalLong.of(by);
  }

  LedgerEntry.Claim claim(Offer offer, String session, String runner) {
    return new LedgerEntry.Claim(
        offer.request(),
        offer.at(),
        readTo.getOrDefault(offer.at().partition(), 0L),
        offer.item(),
        1,
        session,
        runner,
        null,
        LedgerState.RULES,
        ScalePlan.RESERVE);
  }

  @Override
  public void close() {
    producer.close();
  }
}
