package dev.flyball.runner.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.session.OutputChunk;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.ClientFactory;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SessionPublisherTest {
  private static final LifecycleEvent RESULT =
      new LifecycleEvent(
          "e", EventType.SESSION_RESULT, "/runner/r1", "a/b/1", Instant.EPOCH, EventData.EMPTY);

  private final AtomicInteger made = new AtomicInteger();

  @Test
  void aResultSentAgainIsTakenAlthoughTheFirstProducerRefusesEverySend() {
    try (var publisher =
        publisher((number, _) -> number == 0 ? new KafkaException("in an error state") : null)) {
      assertThat(publisher.publish(RESULT)).failsWithin(Duration.ofSeconds(10));

      await().until(() -> taken(publisher.publish(RESULT)));
    }
    assertThat(made).as("one for each topic, and the one that replaced the first").hasValue(4);
  }

  @Test
  void aResultDoesNotWaitForOutputThatItsTopicDoesNotTake() throws Exception {
    var sending = new CountDownLatch(1);
    var goOn = new CompletableFuture<Void>();
    try (var publisher =
        publisher((_, record) -> {
          if (record.topic().equals(Topics.DEFAULT.sessionOutput())) {
            sending.countDown();
            goOn.join();
          }
          return null;
        })) {
      var chunk = new OutputChunk("LEDGER:1", 0, "out", Instant.EPOCH, List.of("a line"));
      assertThat(publisher.offer("session", chunk)).isTrue();
      assertThat(sending.await(10, TimeUnit.SECONDS)).isTrue();

      assertThat(publisher.publish(RESULT)).succeedsWithin(Duration.ofSeconds(5));
      goOn.complete(null);
    }
  }

  @Test
  void whatWaitsIsSentInItsOrderWhenItCloses() {
    var sent = new CopyOnWriteArrayList<String>();
    var publisher =
        publisher((_, record) -> {
          sent.add(record.key());
          return null;
        });
    for (String name : List.of("spawned", "identified", "result")) {
      var _ = publisher.publish(event(name));
    }

    publisher.close();

    assertThat(sent).containsExactly("spawned", "identified", "result");
  }

  @Test
  void aDeadLetterIsSentAgainUntilItsBrokerTakesOrRejectsIt() {
    var tries = new AtomicInteger();
    try (var publisher =
        publisher((_, record) ->
            record.key().equals("large")
                ? new RecordTooLargeException("too large")
                : tries.getAndIncrement() == 0 ? new TimeoutException("no broker") : null)) {
      for (String key : List.of("large", "late")) {
        publisher.deadLetter(
            new ConsumerRecord<>("session-requests", 0, 7, key, new byte[] {'{'}), "unreadable");
      }

      await().until(() -> tries.get() == 2);
      assertThat(publisher.lostLetters()).isOne();
    }
  }

  /** An event whose subject is this name. */
  private static LifecycleEvent event(String name) {
    return new LifecycleEvent(
        name, EventType.SESSION_SPAWNED, "/runner/r1", name, Instant.EPOCH, EventData.EMPTY);
  }

  @Test
  void closingWithNothingQueuedDoesNotWait() {
    SessionPublisher publisher = publisher((_, _) -> null);
    assertThat(publisher.publish(RESULT)).succeedsWithin(Duration.ofSeconds(10));

    long before = System.nanoTime();
    publisher.close();

    // The wait for records that are still queued ends after 3 s.
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(2));
  }

  /** One whose producers answer so; see {@link Producers}. */
  private SessionPublisher publisher(
      BiFunction<Integer, ProducerRecord<String, byte[]>, @Nullable KafkaException> answers) {
    return new SessionPublisher(
        new KafkaClients(KafkaSettings.of("127.0.0.1:1"), "runner", new Producers(answers)));
  }

  private static boolean taken(CompletableFuture<Void> acknowledged) {
    return acknowledged.handle((nothing, failure) -> failure == null).join();
  }

  /**
   * Producers without a broker.
   *
   * <p>{@code answers} gets a producer's number, from 0, and each record that it sends; null
   * acknowledges it.
   */
  private final class Producers implements ClientFactory {
    private final BiFunction<Integer, ProducerRecord<String, byte[]>, @Nullable KafkaException>
        answers;

    Producers(
        BiFunction<Integer, ProducerRecord<String, byte[]>, @Nullable KafkaException> answers) {
      this.answers = answers;
    }

    @Override
    public KafkaProducer<String, byte[]> producer(Map<String, Object> properties) {
      var all = new HashMap<>(properties);
      all.put("enable.idempotence", "false");
      int number = made.getAndIncrement();
      return new KafkaProducer<>(all, new StringSerializer(), new ByteArraySerializer()) {
        @Override
        public Future<RecordMetadata> send(
            ProducerRecord<String, byte[]> record, Callback callback) {
          callback.onCompletion(null, answers.apply(number, record));
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
