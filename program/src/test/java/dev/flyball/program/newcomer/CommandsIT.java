package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.NullNode;
import dev.flyball.contract.command.Command;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.program.launch.Program;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.testkit.ProcSampler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an operator asks of items, through the program itself against a running service. */
@Tag("long")
final class CommandsIT {
  private static final String DEAD = "default/items/1";
  private static final String HANGING = "default/items/4";

  @TempDir Path folder;
  private String kafka = "";

  /** Leaves processes of every kind behind itself, and answers only once it was mended. */
  private String agent(Desk desk) {
    return desk.agent(
        "agent",
        """
        case "$(cat)" in
          *hangs*) sleep 600 & setsid sleep 600 & (setsid setsid sleep 600 &) ; sleep 600 ;;
        esac
        [ -e %s ] || exit 3
        echo "src/Ledger.java:2 is the place"
        """
            .formatted(folder.resolve("mended")));
  }

  @Test
  void itemsAreRetriedCancelledSkippedRequeuedAndForgotten() throws IOException {
    var desk = new Desk(folder);
    String dead = Desk.item("1", "Lease expires too early", Desk.LEASE, "1");
    desk.write("items.jsonl", dead);
    desk.write(
        "flyball.yaml",
        """
        sources: [{name: items, type: jsonl, path: items.jsonl, interval: 1s}]
        sessions: {repo: repo, agent: "%s", attempts: 1}
        console: {listen: "127.0.0.1:0"}
        broker: {listen: "127.0.0.1:0"}
        """
            .formatted(agent(desk)));
    try (Program up = Program.start(folder, "up")) {
      up.awaitLine("ready console=");
      kafka = up.out().replaceAll("(?s).*kafka=", "").strip();

      stands(DEAD, "dead");
      JsonNode letter = answer(0, "dead-letters").get(0);
      assertThat(letter.get("key").asText()).isEqualTo(DEAD);
      assertThat(letter.get("topic").asText()).isEqualTo(Topics.DEFAULT.workItems());
      assertThat(letter.get("reason").asText()).contains("exit 3");

      row(answer(0, "retry", DEAD, "--why", "a look"), "dead", "queued");
      stands(DEAD, "dead");
      Path mended = desk.write("mended", "");
      assertThat(answer(0, "dead-letters").get(0).get("now").asText()).isEqualTo("dead");
      row(answer(0, "dead-letters", "requeue", DEAD), "dead", "triaging");
      stands(DEAD, "analyzed");
      assertThat(answer(0, "dead-letters").get(0).get("now").asText())
          .as("a letter stays, and says that its item is settled")
          .isEqualTo("analyzed");
      assertThat(answer(0, "dead-letters", "--bootstrap-servers", kafka).get(0).get("now").asText())
          .as("servers that are named may be another system's")
          .isEmpty();

      assertThat(line(1, "skip", "default/items/99"))
          .isEqualTo("flyball: no item 'default/items/99'; list items with ./flyball items");
      assertThat(line(1, "cancel", DEAD)).endsWith(": it is analyzed already");
      assertThat(line(1, "dead-letters", "requeue", "none")).contains("'none'");

      row(answer(0, "retry", "1"), "analyzed", "queued");
      stands(DEAD, "analyzed");
      Files.delete(mended);

      desk.write("items.jsonl", dead + Desk.item("4", "The parser hangs on 7d", Desk.LEASE, "1"));
      cancelsWhatRuns();

      row(answer(0, "forget", HANGING), "cancelled", "unknown");
      Program.awaitPrinted().untilAsserted(() -> assertThat(items("cancelled")).isEmpty());
      assertThat(line(1, "retry", HANGING)).startsWith("flyball: no item");
      up.signal("TERM");
      assertThat(up.awaitEnd()).as(up::err).isZero();
    }
  }

  private void cancelsWhatRuns() {
    var session = new AtomicReference<>("");
    Program.awaitPrinted()
        .untilAsserted(() -> {
          JsonNode live = Program.run(folder, "ps", "--json").json();
          assertThat(live).hasSize(1);
          session.set(live.get(0).get("session").asText());
          assertThat(ProcSampler.withCookie(session.get())).hasSizeGreaterThanOrEqualTo(5);
        });
    // The ledger shows the session a moment before triage has read it there.
    stands(HANGING, "running");
    assertThat(line(1, "retry", HANGING)).contains(session.get());

    Program cancel = begin("cancel", session.get(), "--why", "it went astray");
    KafkaFixture.await()
        .pollInterval(Duration.ofMillis(10))
        .until(() -> ProcSampler.withCookie(session.get()).isEmpty());
    Instant gone = Instant.now();
    assertThat(cancel.awaitEnd()).as(cancel::err).isZero();
    JsonNode row = cancel.json().get(0);
    row(cancel.json(), "running", "cancelled");
    assertThat(row.get("session").asText()).isEqualTo(session.get());
    assertThat(row.get("outcome").asText()).isEqualTo("cancelled");
    assertThat(row.get("survivors").asText()).isEqualTo("0");
    assertThat(row.get("why").asText()).isEqualTo("it went astray");
    System.err.println(
        "CommandsIT: "
            + Duration.between(commandedAt(), gone).toMillis()
            + " ms from the command to the last process's end");
    stands(HANGING, "cancelled");
  }

  /** When the newest command was made, by its own record. */
  private Instant commandedAt() {
    var settings = new KafkaSettings(Topics.DEFAULT, Map.of("bootstrap.servers", kafka));
    try (KafkaConsumer<String, byte[]> consumer =
        new KafkaClients(settings, "test").consumer("commands")) {
      List<TopicPartition> all =
          IntStream.range(0, 6)
              .mapToObj(n -> new TopicPartition(Topics.DEFAULT.commands(), n))
              .toList();
      consumer.assign(all);
      consumer.seekToBeginning(all);
      Map<TopicPartition, Long> ends = consumer.endOffsets(all);
      Instant newest = Instant.EPOCH;
      while (all.stream().anyMatch(each -> consumer.position(each) < ends.getOrDefault(each, 0L))) {
        for (var record : consumer.poll(Duration.ofMillis(200))) {
          Instant at = RecordJson.read(record.value(), Command.class).at();
          newest = at.isAfter(newest) ? at : newest;
        }
      }
      return newest;
    }
  }

  private static void row(JsonNode table, String before, String after) {
    assertThat(table).hasSize(1);
    assertThat(table.get(0).get("before").asText()).isEqualTo(before);
    assertThat(table.get(0).get("after").asText()).isEqualTo(after);
  }

  private void stands(String key, String state) {
    Program.awaitPrinted()
        .untilAsserted(
            () -> assertThat(items(state)).anyMatch(line -> line.startsWith(key + "\t")));
  }

  private List<String> items(String state) {
    return Program.run(folder, "items", "--state", state).out().lines().skip(1).toList();
  }

  /** The table as JSON. */
  private JsonNode answer(int code, String... words) {
    Program program = begin(words);
    assertThat(program.awaitEnd()).as(program::err).isEqualTo(code);
    return code == 0 ? program.json() : NullNode.getInstance();
  }

  /** The one line of a refusal. */
  private String line(int code, String... words) {
    Program program = begin(words);
    assertThat(program.awaitEnd()).as(program::err).isEqualTo(code);
    assertThat(program.err().lines().toList()).hasSize(1);
    return program.err().strip();
  }

  private Program begin(String... words) {
    var command = new ArrayList<>(List.of(words));
    command.add("--json");
    if (!words[0].equals("dead-letters") || command.contains("requeue")) {
      command.addAll(List.of("--bootstrap-servers", kafka, "--wait", "60s"));
    }
    return Program.start(folder, command.toArray(String[]::new));
  }
}
