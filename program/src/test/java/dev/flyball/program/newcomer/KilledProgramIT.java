package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.broker.BrokerSecret;
import dev.flyball.contract.topic.Topics;
import dev.flyball.program.launch.Program;
import dev.flyball.program.launch.Workplace;
import dev.flyball.testkit.KafkaFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code -Dkills.of.files=20} for more kills. */
@Tag("long")
@DisplayName("A program that is killed leaves no file that the next one does not use or delete")
final class KilledProgramIT {
  private static final int KILLS = Integer.getInteger("kills.of.files", 2);

  @TempDir Path folder;

  @Test
  void inTheFolderForTemporaryFilesOrInItsOwn() throws Exception {
    Path temporary = Files.createDirectory(folder.resolve("temporary"));
    var environment = Map.of("JDK_JAVA_OPTIONS", "-Djava.io.tmpdir=" + temporary);
    var place = Workplace.in(folder);
    place.write("items.jsonl", Workplace.backlog(Workplace.LEASE, "1"));
    place.service("");
    List<Path> left = List.of();
    for (int kill = 0; kill < KILLS; kill++) {
      try (Program up = Program.up(folder, environment)) {
        KafkaFixture.await()
            .untilAsserted(() -> assertThat(up.json("/api/items?state=analyzed")).hasSize(2));
        // Not that there are none: it may unpack its own to read again what the killed one had
        // read.
        assertThat(left).as("kill %d", kill).noneMatch(file -> Files.exists(file));
        // Codecs of another program's records.
        compressed("zstd"); // Its library is deleted as soon as it is loaded.
        compressed("snappy");
        KafkaFixture.await().untilAsserted(() -> assertThat(libraries()).hasSize(1));
        left = libraries();
        up.kill9();
      }
      assertThat(below(temporary)).as("kill %d", kill).isEmpty();
    }
  }

  /** Writes a record as another program would; Flyball makes a dead letter of it. */
  private void compressed(String codec) throws Exception {
    var client =
        new HashMap<String, Object>(
            BrokerSecret.clientProperties(folder.resolve(".flyball/kafka")).orElseThrow());
    client.put("compression.type", codec);
    var text = new StringSerializer();
    try (var producer = new KafkaProducer<>(client, text, text)) {
      var record = new ProducerRecord<>(Topics.DEFAULT.workItems(), codec, codec.repeat(100));
      producer.send(record).get();
    }
  }

  private List<Path> libraries() throws IOException {
    return below(folder.resolve(".flyball")).stream()
        .filter(file -> file.toString().contains(".so"))
        .toList();
  }

  private static List<Path> below(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile).toList();
    }
  }
}
