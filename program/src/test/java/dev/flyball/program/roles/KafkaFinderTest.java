package dev.flyball.program.roles;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.config.ConfigurationLoader;
import dev.flyball.program.roles.KafkaFinder.Known;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which Kafka a role uses beside an {@code up} that {@code broker.data} names. */
final class KafkaFinderTest {
  private static final String READERS = "127.0.0.1:9092";
  private static final String WRITERS = "127.0.0.1:10092";

  @TempDir Path home;

  @BeforeEach
  void anUpThatHasEnded() throws IOException {
    Files.createDirectories(KafkaFinder.broker(home));
    Files.writeString(
        KafkaFinder.broker(home).resolve("clients.properties"),
        "bootstrap.servers=" + WRITERS + "\nsecurity.protocol=SASL_PLAINTEXT\n");
    var ended = new Known(new Identity(1, 1, "boot", "pid:[1]"), READERS, true);
    Files.writeString(home.resolve("kafka.address"), RecordJson.write(ended));
  }

  @Test
  void thatUpsListenerForWriters() {
    assertThat(KafkaFinder.forRole(configured()).kafka("runner"))
        .containsEntry("bootstrap.servers", WRITERS)
        .containsEntry("security.protocol", "SASL_PLAINTEXT");
  }

  @Test
  void theSameIfOneOfItsListenersIsConfiguredToo() {
    for (String listener : List.of(READERS, WRITERS)) {
      Configuration configured = configured("kafka.bootstrap.servers=" + listener);

      assertThat(KafkaFinder.forRole(configured).kafka("runner"))
          .containsEntry("bootstrap.servers", WRITERS);
    }
  }

  @Test
  void noneIfAnotherKafkaIsConfiguredToo() {
    Configuration option =
        configured().withKafka(Map.of("bootstrap.servers", "far:9092"), "--bootstrap-servers");
    Configuration ofOneRole = configured("kafka.runner.bootstrap.servers=far:9092");

    for (Configuration conflict : List.of(option, ofOneRole)) {
      assertThatThrownBy(() -> KafkaFinder.forRole(conflict))
          .isInstanceOf(ConfigurationError.class)
          .hasMessageContainingAll("far:9092", home.toString(), "broker.data", "--set")
          .hasMessageNotContaining("\n");
    }
  }

  private Configuration configured(String... sets) {
    var all = new ArrayList<>(List.of("broker.data=" + home));
    all.addAll(List.of(sets));
    return ConfigurationLoader.load(null, Map.of(), all);
  }
}
