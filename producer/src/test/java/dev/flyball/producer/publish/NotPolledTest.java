package dev.flyball.producer.publish;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.producer.lease.PollWitness;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Only what ends by itself soon is worth waiting for")
class NotPolledTest {

  @Test
  void aBrokerThatIsSlowPasses() {
    assertThat(NotPolled.of(new TimeoutException("no metadata")))
        .isEqualTo(NotPolled.passing("Kafka does not answer: no metadata"));
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
      assertThat(NotPolled.of(e).passes()).isFalse();
      assertThat(NotPolled.of(e).reason()).contains(String.valueOf(e.getMessage()), " ACLs ");
    }
  }

  @Test
  @DisplayName("a lease passes where it runs out within the patience, and not a second later")
  void aLeaseThatRunsOutSoonPasses() {
    assertThat(NotPolled.of(new PollWitness.Held("x", NotPolled.SOON)))
        .isEqualTo(
            new NotPolled(
                "polled by x; taken over if that one stays silent for another 90s", true, true));
    NotPolled later = NotPolled.of(new PollWitness.Held("x", NotPolled.SOON.plusSeconds(1)));
    assertThat(later.passes()).isFalse();
    assertThat(later.elsewhere()).isTrue();
  }
}
