package dev.flyball.runner.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.kafka.ClientFactory;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;

class SessionPublisherTest {
  private static final LifecycleEvent RESULT =
      new LifecycleEvent(
          "e", EventType.SESSION_RESULT, "/runner/r1", "a/b/1", Instant.EPOCH, EventData.EMPTY);

  private final AtomicInteger made = new AtomicInteger();

  @Test
  void aResultSentAgainIsTakenAlthoughTheFirstProducerRefusesEverySend() {
    var clients = new KafkaClients(KafkaSettings.of("127.0.0.1:1"), "runner", new OneBroken());
    try (var publisher = new SessionPublisher(clients)) {
      assertThat(publisher.publish(RESULT)).failsWithin(Duration.ofSeconds(10));

      await().until(() -> taken(publisher.publish(RESULT)));
    }
    assertThat(made).hasValue(2);
  }

  private static boolean taken(CompletableFuture<Void> acknowledged) {
    return acknowledged.handle((nothing, failure) -> failure == null).join();
  }

  /** Its first producer is in an error state for good, later ones acknowledge without a broker. */
  private final class OneBroken implements ClientFactory {
    @Override
    public KafkaProducer<String, byte[]> producer(Map<String, Object> properties) {
      var all = new HashMap<>(properties);
      all.put("enable.idempotence", "false");
      boolean broken = made.getAndIncrement() == 0;
      return new KafkaProducer<>(all, new StringSerializer(), new ByteArraySerializer()) {
        @Override
        public Future<RecordMetadata> send(
            ProducerRecord<String, byte[]> record, Callback callback) {
          callback.onCompletion(null, broken ? new KafkaException("in an error state") : null);
          return CompletableFuture.completedFuture(null);
        }
      };
    }

    @Override
    public KafkaConsumer<String, byte[]> consumer(Map<String, Object> properties) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Admin admin(Map<String, Object> properties) {
      throw new UnsupportedOperationException();
    }
  }
}
