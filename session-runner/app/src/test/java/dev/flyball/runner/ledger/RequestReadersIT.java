package dev.flyball.runner.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.topic.Position;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.runner.queue.Waiting;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.testkit.Sample;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@DisplayName("The readers of session-requests go on whatever a Kafka client throws")
class RequestReadersIT {
  @RegisterExtension static final KafkaFixture KAFKA = KafkaFixture.provisioned();

  private final FaultyClients faults = new FaultyClients();
  private final KafkaClients clients = new KafkaClients(KAFKA.settings(), "runner", faults);

  @Test
  void aRequestIsReadOnceTheBrokerAnswers() throws IOException {
    SessionRequest sent = Sample.request("q", 1, Instant.EPOCH, null, Sample.snapshot("t", "text"));
    Waiting waiting = waiting("acme/bodies/1", send("acme/bodies/1", sent), sent);
    try (var bodies = new RequestBodies(clients)) {
      for (Throwable fault : some()) {
        if (fault instanceof KafkaException) {
          faults.fail("runner-bodies.poll", fault);
          assertThatThrownBy(() -> bodies.read(waiting)).isInstanceOf(IOException.class);
        }
        assertThat(bodies.read(waiting)).contains(sent);
      }
    }
  }

  @Test
  void aRequestWhosePlaceHoldsAnotherRecordIsGone() throws IOException {
    SessionRequest one = Sample.request("1", 1, Instant.EPOCH, null, Sample.snapshot("t", "text"));
    SessionRequest two = Sample.request("2", 1, Instant.EPOCH, null, Sample.snapshot("t", "text"));
    RecordMetadata at = send("acme/bodies/2", two);
    try (var bodies = new RequestBodies(clients)) {
      assertThat(bodies.read(waiting("acme/bodies/2", at, one))).isEmpty();
      assertThat(bodies.read(waiting("acme/bodies/3", at, two))).isEmpty();
    }
  }

  private static Waiting waiting(String key, RecordMetadata at, SessionRequest request) {
    return Waiting.of(key, new Position(at.partition(), at.offset()), request, at.timestamp());
  }

  private static List<Throwable> some() {
    return List.of(
        new TimeoutException("no answer"),
        new WakeupException(),
        new SaslAuthenticationException("wrong password"),
        new OutOfMemoryError("unable to create native thread"));
  }

  private static RecordMetadata send(String key, SessionRequest request) {
    return KAFKA.produceRaw(KAFKA.topics().sessionRequests(), key, RecordJson.bytes(request));
  }
}
