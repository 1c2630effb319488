package dev.flyball.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RoundRobinPartitioner;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownProducerIdException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A producer that failed is replaced, its successor is not")
class ReplaceableProducerTest {
  private static final Duration CLOSING = Duration.ofSeconds(7);

  private final List<Producer> made = new CopyOnWriteArrayList<>();
  private final List<String> answers = new ArrayList<>();
  private final ReplaceableProducer producer =
      new ReplaceableProducer("test", this::connect, CLOSING);

  private Producer connect() {
    made.add(new Producer());
    return made.getLast();
  }

  @Test
  void afterARefusalTheNextRecordGoesToANewOne() {
    send("a");
    made.getFirst().errorNext(new ClusterAuthorizationException("not yet"));
    await().untilAsserted(() -> assertThat(made.getFirst().closedWithin).isNotEmpty());

    send("b");
    made.get(1).completeNext();
    assertThat(answers).containsExactly("a ClusterAuthorizationException", "b acknowledged");
  }

  @Test
  void whatTheOldOneWasGivenBeforeIsAnsweredAndReplacesNothing() {
    send("a");
    send("b");
    send("c");
    Producer first = made.getFirst();
    first.errorNext(new ClusterAuthorizationException("not yet"));
    await().untilAsserted(() -> assertThat(first.closedWithin).containsExactly(CLOSING));

    first.completeNext();
    first.errorNext(new KafkaException("Producer is closed forcefully."));

    send("d");
    made.get(1).completeNext();
    send("e");
    made.get(1).completeNext();
    assertThat(made).hasSize(2);
    assertThat(answers)
        .containsExactly(
            "a ClusterAuthorizationException",
            "b acknowledged",
            "c KafkaException",
            "d acknowledged",
            "e acknowledged");
  }

  @Test
  void aTimeoutOrALargeRecordReplacesNothing() {
    send("a");
    made.getFirst().errorNext(new TimeoutException("no answer"));
    send("b");
    made.getFirst().errorNext(new RecordTooLargeException("too large"));
    send("c");
    made.getFirst().completeNext();

    assertThat(made).hasSize(1);
    assertThat(answers).hasSize(3).last().isEqualTo("c acknowledged");
  }

  @Test
  void aSendThatThrowsReplacesItToo() {
    made.getFirst().sendException = new KafkaException("in an error state");

    send("a");

    assertThat(answers).containsExactly("a KafkaException");
    await().untilAsserted(() -> assertThat(made).hasSize(2));
  }

  @Test
  void onceClosedNothingIsReplaced() {
    send("a");
    producer.close();
    made.getFirst().errorNext(new KafkaException("Producer is closed forcefully."));

    assertThat(made).hasSize(1);
    assertThat(made.getFirst().closedWithin).containsExactly(CLOSING);
    send("b");
    assertThat(answers).last().isEqualTo("b IllegalStateException");
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        OutOfOrderSequenceException.class,
        UnknownProducerIdException.class,
        InvalidProducerEpochException.class,
        ProducerFencedException.class,
        TimeoutException.class,
        KafkaException.class
      })
  void aProducerThatLostItsPlaceSaysNothingAboutItsRecord(Class<? extends Exception> kind)
      throws ReflectiveOperationException {
    assertThat(
            ReplaceableProducer.refusesRecord(
                kind.getConstructor(String.class).newInstance("after a restart")))
        .isFalse();
  }

  @Test
  void sizeAndMissingRightsRefuseTheRecord() {
    assertThat(ReplaceableProducer.refusesRecord(new RecordTooLargeException("too large")))
        .isTrue();
    assertThat(ReplaceableProducer.refusesRecord(new TopicAuthorizationException("topic")))
        .isTrue();
  }

  private void send(String value) {
    var _ =
        producer
            .send(new ProducerRecord<>("topic", value, new byte[0]))
            .whenComplete((metadata, failure) ->
                answers.add(
                    value
                        + " "
                        + (failure == null ? "acknowledged" : failure.getClass().getSimpleName())));
  }

  private static final class Producer extends MockProducer<String, byte[]> {
    final List<Duration> closedWithin = new CopyOnWriteArrayList<>();

    Producer() {
      super(false, new RoundRobinPartitioner(), new StringSerializer(), new ByteArraySerializer());
    }

    @Override
    public void close(Duration timeout) {
      super.close(timeout);
      closedWithin.add(timeout);
    }
  }
}
