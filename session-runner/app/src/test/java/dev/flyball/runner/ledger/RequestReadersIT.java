package dev.flyball.runner.ledger;

import static dev.flyball.testkit.KafkaFixture.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.topic.Position;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.testkit.KafkaFixture;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.WakeupException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@DisplayName("The readers of session-requests go on whatever a Kafka client throws")
class RequestReadersIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();

  private final FaultyClients faults = new FaultyClients();
  private final KafkaClients clients = new KafkaClients(KAFKA.settings(), "runner", faults);

  @BeforeAll
  static void provision() {
    KAFKA.provision();
  }

  @Test
  void theFeedHandsEveryRecordOnOnce() {
    try (var feed = new RequestFeed(clients, () -> {})) {
      feed.start();
      var read = new ArrayList<String>();
      int sent = 0;
      for (Throwable fault : some()) {
        for (String place : List.of("runner-requests.poll", "runner-requests.position")) {
          faults.fail(place, fault);
          String key = "acme/web/" + sent++;
          send(key, "{}");
          await()
              .until(() -> {
                for (var batch = feed.next(); batch != null; batch = feed.next()) {
                  batch.records().stream()
                      .map(ConsumerRecord::key)
                      .filter(it -> it.startsWith("acme/web/"))
                      .forEach(read::add);
                }
                return read.contains(key) && faults.pending().isEmpty();
              });
        }
      }
      await().untilAsserted(() -> assertThat(feed.trouble()).isEmpty());
      assertThat(read).doesNotHaveDuplicates().hasSize(sent);
    }
  }

  @Test
  void aBodyIsReadAfterTheCallThatFailed() {
    try (var bodies = new RequestBodies(clients, () -> {})) {
      faults.fail("runner-bodies.new", new OutOfMemoryError("unable to create native thread"));
      bodies.start();
      for (Throwable fault : some()) {
        for (String call : List.of("assign", "seek", "poll")) {
          faults.fail("runner-bodies." + call, fault);
          // A read that began before may bring a body too: only one that begins now must fail.
          await()
              .until(() -> {
                RecordMetadata at = send("acme/bodies/1", "{\"n\":\"" + call + fault + "\"}");
                var place = new Position(at.partition(), at.offset());
                await().until(() -> bodies.get(place).isPresent());
                return faults.pending().isEmpty();
              });
        }
      }
      await().untilAsserted(() -> assertThat(bodies.trouble()).isEmpty());
    }
  }

  @Test
  void aBodyThatTheBrokerDoesNotHaveIsNotTakenForDeleted() {
    var answers = new AtomicInteger();
    try (var bodies = new RequestBodies(clients, answers::incrementAndGet)) {
      bodies.start();
      RecordMetadata last = send("acme/bodies/2", "{}");
      var ahead = new Position(last.partition(), last.offset() + 2);
      // Asked again and again, as a claim asks: on a busy machine a read may find nothing in time.
      await()
          .until(() -> {
            assertThat(bodies.get(ahead)).isEmpty();
            return answers.get() > 0;
          });
      assertThat(bodies.get(ahead)).isEmpty();

      send("acme/bodies/2", "{}");
      send("acme/bodies/2", "{\"n\":\"wanted\"}");
      await()
          .untilAsserted(() ->
              assertThat(bodies.get(ahead))
                  .get()
                  .extracting(ConsumerRecord::value)
                  .isEqualTo("{\"n\":\"wanted\"}".getBytes(StandardCharsets.UTF_8)));
    }
  }

  private static List<Throwable> some() {
    return List.of(
        new TimeoutException("no answer"),
        new WakeupException(),
        new SaslAuthenticationException("wrong password"),
        new OutOfMemoryError("unable to create native thread"));
  }

  private static RecordMetadata send(String key, String value) {
    return KAFKA.produceRaw(
        KAFKA.topics().sessionRequests(), key, value.getBytes(StandardCharsets.UTF_8));
  }
}
