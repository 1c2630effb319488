package dev.flyball.program.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.broker.BrokerConfig;
import dev.flyball.broker.EmbeddedBroker;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaFailure;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Kafka properties of flyball.yaml reach the clients of every role. */
final class KafkaSecurityIT {
  private static final List<String> ROLES =
      List.of("producer", "triage", "runner", "console", "operator");

  @TempDir Path folder;

  @Test
  void everyRoleSignsInAtABrokerThatDemandsIt() {
    try (EmbeddedBroker broker = EmbeddedBroker.start(BrokerConfig.in(folder).at("127.0.0.1", 0))) {
      Map<String, String> signedIn = broker.clientProperties();
      assertThat(signedIn).containsKeys("security.protocol", "sasl.mechanism", "sasl.jaas.config");
      AppConfigurations right = configured(signedIn);
      AppConfigurations without =
          configured(Map.of("bootstrap.servers", signedIn.get("bootstrap.servers")));
      for (String role : ROLES) {
        assertThat(new KafkaClients(right.kafka(role), role).reach(Duration.ofSeconds(20)))
            .as(role)
            .isEqualTo(1);
      }
      var unknown = new KafkaClients(without.kafka("console"), "console");
      assertThatThrownBy(() -> unknown.reach(Duration.ofSeconds(2)))
          .isInstanceOf(KafkaFailure.class);
    }
  }

  private static AppConfigurations configured(Map<String, String> properties) {
    List<String> sets =
        properties.entrySet().stream()
            .map(each -> "kafka." + each.getKey() + "=" + each.getValue())
            .toList();
    return new AppConfigurations(ConfigurationLoader.load(null, Map.of(), sets));
  }
}
