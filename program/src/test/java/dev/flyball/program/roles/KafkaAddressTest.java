package dev.flyball.program.roles;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KafkaAddressTest {
  @TempDir Path data;

  @Test
  void theAddressIsThatOfAProcessThatLives() {
    assertThat(KafkaAddress.of(data)).isEmpty();

    KafkaAddress.tell(data, "127.0.0.1:9092");

    assertThat(KafkaAddress.of(data)).hasValue(new KafkaAddress.Known("127.0.0.1:9092", false));
  }

  @Test
  void aKilledProcessOwnsNothingEvenIfItsPidIsReused() throws IOException {
    long ours = ProcessHandle.current().pid();
    for (String left :
        new String[] {ours + " 12345 127.0.0.1:9092", "0 0 127.0.0.1:9092", "garbage", ""}) {
      Files.writeString(data.resolve("kafka.address"), left);

      assertThat(KafkaAddress.of(data)).as(left).isEmpty();
    }
  }
}
