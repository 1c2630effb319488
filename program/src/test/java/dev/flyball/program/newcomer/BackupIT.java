package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.topic.Topics;
import dev.flyball.program.launch.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands of docs/operate.md, over a data folder that is destroyed between them. */
@Tag("long")
final class BackupIT {
  private static final Path PAGE = Path.of("../docs/operate.md");
  private static final String ITEM = "default/items/1";
  private static final Topics TOPICS = Topics.DEFAULT;

  @TempDir Path folder;

  @Test
  @DisplayName("INV-4: after a backup, a loss and a restore nothing runs again, and forget works")
  void aRestoredInstallationRepeatsNothingAndForgets() throws IOException, InterruptedException {
    var desk = new Desk(folder);
    desk.write("items.jsonl", Desk.backlog(Desk.LEASE, "1"));
    assertThat(completed(run())).isEqualTo(2);

    documented("backup");
    shell("rm -rf .flyball");
    documented("restore");

    JsonNode again = run();
    assertThat(again.path("triageCalls").asInt()).isZero();
    assertThat(again.path("sessions")).allMatch(count -> count.asInt() == 0);
    assertThat(again.path("duplicates").asInt()).isEqualTo(3);
    assertThat(Program.run(folder, "analysis", ITEM).out()).contains("src/Ledger.java:");

    forgets();

    desk.write("items.jsonl", Desk.backlog(Desk.LEASE + " Seen again today.", "2"));
    assertThat(completed(run())).as("a changed item that was forgotten is new").isEqualTo(1);
  }

  private void forgets() {
    try (Program up =
        Program.start(
            folder,
            "up",
            "--set",
            "console.listen=127.0.0.1:0",
            "--set",
            "broker.listen=127.0.0.1:0")) {
      up.awaitLine("ready console=");
      String servers = up.out().replaceAll("(?s).*kafka=", "").strip();
      assertThat(newest(servers, TOPICS.itemState()).get(ITEM)).isNotNull();

      Program forget = Program.run(folder, "forget", ITEM, "--why", "asked to");
      assertThat(forget.awaitEnd()).as(forget::err).isZero();

      Program.awaitPrinted()
          .untilAsserted(() -> {
            Map<String, @Nullable String> states = newest(servers, TOPICS.itemState());
            assertThat(states.get(ITEM)).as("its state").isNull();
            assertThat(states.get("default/items/2")).as("another's state").isNotNull();
            assertThat(newest(servers, TOPICS.sessionRequests()).get(ITEM))
                .as("a request")
                .isNull();
            assertThat(Program.run(folder, "items").out())
                .doesNotContain(ITEM)
                .contains("default/items/2");
          });
      assertThat(newest(servers, TOPICS.analyses()).get(ITEM)).as("its analysis").isNotNull();
      assertThat(newest(servers, TOPICS.workItems()).get(ITEM)).as("its snapshot").isNotNull();
      up.signal("TERM");
      assertThat(up.awaitEnd()).as(up::err).isZero();
    }
  }

  private JsonNode run() {
    Program program =
        Program.run(folder, "run", "items.jsonl", "--repo", "repo", "--json", "--cap", "2");
    assertThat(program.awaitEnd()).as(program::err).isZero();
    return program.json();
  }

  private static int completed(JsonNode report) {
    return report.path("sessions").path("completed").asInt();
  }

  /** Runs the block of the page that begins with this comment. */
  private void documented(String name) throws IOException, InterruptedException {
    var block =
        Pattern.compile("```sh\n# " + name + "\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(PAGE));
    assertThat(block.find()).as(name).isTrue();
    shell(block.group(1));
  }

  private void shell(String script) throws IOException, InterruptedException {
    var process = new ProcessBuilder("sh", "-ec", script).directory(folder.toFile()).inheritIO();
    assertThat(process.start().waitFor()).as(script).isZero();
  }

  /** The newest value of each key; null where that is a tombstone. */
  private static Map<String, @Nullable String> newest(String servers, String topic) {
    Map<String, Object> properties =
        Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
            servers,
            ConsumerConfig.ISOLATION_LEVEL_CONFIG,
            "read_committed");
    try (var consumer =
        new KafkaConsumer<>(properties, new StringDeserializer(), new StringDeserializer())) {
      var partitions =
          consumer.partitionsFor(topic).stream()
              .map(each -> new TopicPartition(each.topic(), each.partition()))
              .toList();
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      var ends = consumer.endOffsets(partitions);
      var values = new HashMap<String, @Nullable String>();
      while (ends.entrySet().stream()
          .anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
        consumer.poll(Duration.ofMillis(100)).forEach(each -> values.put(each.key(), each.value()));
      }
      return values;
    }
  }
}
