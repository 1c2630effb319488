package dev.flyball.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.broker.BrokerConfig;
import dev.flyball.broker.EmbeddedBroker;
import dev.flyball.contract.topic.Topics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A broker that answers and denies is not one that is away. */
final class LoginDeniedIT {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  @TempDir Path folder;

  @Test
  void aWrongPasswordAndADeniedWriteAreNotWaitedFor() {
    try (var broker = EmbeddedBroker.start(BrokerConfig.in(folder))) {
      Map<String, String> right = broker.clientProperties();
      Map<String, String> wrong = new HashMap<>(right);
      wrong.computeIfPresent(
          "sasl.jaas.config", (_, jaas) -> jaas.replaceAll("password=\"..", "password=\"zz"));
      Map<String, String> noLogin = Map.of("bootstrap.servers", broker.bootstrapServers());
      String topic = Topics.DEFAULT.sessionLedger();

      assertThat(clients(right).reach(LIMIT)).isEqualTo(1);
      assertThatThrownBy(() -> clients(wrong).reach(LIMIT))
          .isInstanceOf(KafkaFailure.class)
          .hasMessageContaining(right.get("bootstrap.servers"))
          .hasMessageContaining("kafka.sasl")
          .hasMessageNotContaining("\n");
      assertThatThrownBy(() -> clients(wrong).requireWrite(topic)).isInstanceOf(KafkaFailure.class);
      assertThatThrownBy(() -> clients(wrong).topicId(topic)).isInstanceOf(KafkaFailure.class);
      assertThatThrownBy(() -> new TopicProvisioner(clients(wrong)).provision())
          .isInstanceOf(KafkaFailure.class);
      assertThatThrownBy(() -> new TopicProvisioner(clients(noLogin)).provision())
          .isInstanceOf(KafkaFailure.class)
          .hasMessageContaining(topic)
          .hasMessageContaining("--print-commands")
          .hasMessageNotContaining("\n");
      new TopicProvisioner(clients(right)).provision();
      assertThatThrownBy(() -> clients(noLogin).requireWrite(topic))
          .isInstanceOf(KafkaFailure.class)
          .hasMessageContaining("write to " + topic)
          .hasMessageNotContaining("\n");
    }
  }

  private static KafkaClients clients(Map<String, String> properties) {
    return new KafkaClients(new KafkaSettings(Topics.DEFAULT, properties), "test");
  }
}
