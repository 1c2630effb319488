package dev.flyball.producer.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.producer.lease.Standing;
import java.time.Duration;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Only what ends by itself soon is worth waiting for")
class RefusalTest {

  @Test
  void aBrokerThatIsSlowAndATransactionThatIsOpenPass() {
    assertThat(Refusal.of(new TimeoutException("no metadata")))
        .isEqualTo(new Refusal.Passing("Kafka does not answer: no metadata"));
    assertThat(Refusal.of(new OpenTransaction(new TopicPartition("t", 0), 7)))
        .isInstanceOf(Refusal.Passing.class);
  }

  @Test
  void whatKafkaForbidsStaysForbidden() {
    var forbidden = new TopicAuthorizationException("not authorized");
    for (KafkaException e :
        new KafkaException[] {
          forbidden,
          new KafkaException("we are in an error state", forbidden),
          new SaslAuthenticationException("no such user")
        }) {
      assertThat(Refusal.of(e)).isInstanceOf(Refusal.Lasting.class);
      assertThat(Refusal.of(e).reason())
          .startsWith("Kafka refuses it: " + e.getMessage())
          .endsWith("; mend its ACLs or our login");
    }
  }

  @Test
  @DisplayName("a lease passes where it runs out within the patience, and not a second later")
  void aLeaseThatRunsOutSoonPasses() {
    assertThat(Refusal.of(new Standing.Held("x", Refusal.SOON)))
        .isEqualTo(
            new Refusal.Passing(
                "polled by x; taken over if that one stays silent for another 90s"));
    assertThat(Refusal.of(new Standing.Held("x", Refusal.SOON.plus(Duration.ofSeconds(1)))))
        .isInstanceOf(Refusal.Lasting.class);
  }
}
