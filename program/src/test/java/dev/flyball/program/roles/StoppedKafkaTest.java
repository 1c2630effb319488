package dev.flyball.program.roles;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationLoader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which data folder's Kafka is started for a command, and when none is. */
final class StoppedKafkaTest {
  @TempDir Path data;
  @TempDir Path home;

  @Test
  void aFolderThatAnotherProcessUsesIsNamed() throws IOException {
    Files.createDirectories(KafkaAddress.broker(data));
    try (DataLock _ = DataLock.take(data)) {
      assertRejected(configured("data=" + data), data);
    }
  }

  @Test
  void theFolderThatBrokerDataNamesCounts() throws IOException {
    Files.createDirectories(KafkaAddress.broker(home));
    try (DataLock _ = DataLock.take(home)) {
      assertRejected(configured("data=" + data, "broker.data=" + home), home);
    }
  }

  @Test
  void noOtherKafkaIsStartedWhereBrokerDataNamesAFolderWithoutOne() throws IOException {
    Files.createDirectories(KafkaAddress.broker(data));
    try (DataLock _ = DataLock.take(data)) {
      assertThat(StoppedKafka.start(configured("data=" + data, "broker.data=" + home))).isEmpty();
    }
  }

  private static void assertRejected(Configuration configuration, Path folder) {
    assertThatThrownBy(() -> StoppedKafka.start(configuration))
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining(folder.toString())
        .hasMessageNotContaining("\n");
  }

  private static Configuration configured(String... sets) {
    return ConfigurationLoader.load(null, Map.of(), List.of(sets));
  }
}
