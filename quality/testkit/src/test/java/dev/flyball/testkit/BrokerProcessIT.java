package dev.flyball.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BrokerProcessIT {
  @TempDir Path dir;

  @Test
  void comesBackOnTheSamePortAfterAKillAndAnswersAfterAFreeze() {
    try (var broker = BrokerProcess.start(dir)) {
      String address = broker.bootstrapServers();
      var clients = new KafkaClients(KafkaSettings.of(address), "test");
      broker.kill();
      broker.restart();
      assertThat(broker.bootstrapServers()).isEqualTo(address);
      broker.freeze();
      broker.thaw();
      assertThat(clients.reach(Duration.ofSeconds(30))).isEqualTo(1);
      broker.stop();
    }
  }
}
