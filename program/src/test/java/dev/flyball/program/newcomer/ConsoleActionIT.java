package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.command.Command;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.program.launch.Program;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.testkit.ProcSampler;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
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

/** An operator with a token ends a session of a running service over HTTP. */
@Tag("long")
final class ConsoleActionIT {
  private static final String ITEM = "default/items/1";
  private static final String TOKEN = "the-token-of-an-operator";

  @TempDir Path folder;
  private final HttpClient client = HttpClient.newHttpClient();
  private String console = "";

  @Test
  void aCancelOverHttpEndsTheSessionAndItsRecordSaysWhoAndWhy() throws IOException {
    var desk = new Desk(folder);
    desk.write("items.jsonl", Desk.item("1", "Lease expires too early", Desk.LEASE, "1"));
    desk.write("token", TOKEN + "\n");
    desk.write(
        "flyball.yaml",
        """
        sources: [{name: items, type: jsonl, path: items.jsonl, interval: 1s}]
        sessions: {repo: repo, agent: "%s", attempts: 1}
        console:
          listen: "127.0.0.1:0"
          tokens:
            - {name: otto, token-file: token, roles: ["default:operator"]}
        broker: {listen: "127.0.0.1:0"}
        """
            .formatted(desk.agent("agent", "cat > /dev/null; sleep 600 & sleep 600\n")));
    try (Program up = Program.start(folder, "up")) {
      up.awaitLine("ready console=");
      console = up.out().replaceAll("(?s).*ready console=(\\S+).*", "$1");
      String kafka = up.out().replaceAll("(?s).*kafka=", "").strip();
      String session = running();

      assertThat(post("/actions/cap", "{\"limit\":1}").statusCode()).isEqualTo(403);
      HttpResponse<String> answer =
          post(
              "/actions/item",
              "{\"do\":\"cancel\",\"key\":\"" + ITEM + "\",\"why\":\"it went astray\"}");

      assertThat(answer.statusCode()).as(answer.body()).isIn(200, 202);
      JsonNode effect = RecordJson.parse(answer.body()).path("effects").path(0);
      assertThat(effect.path("before").asText()).isEqualTo("running");
      assertThat(effect.path("after").asText()).isEqualTo("cancelled");
      assertThat(effect.path("session").asText()).isEqualTo(session);
      KafkaFixture.await().until(() -> ProcSampler.withCookie(session).isEmpty());
      assertThat(commands(kafka))
          .singleElement()
          .satisfies(command -> {
            assertThat(command.word()).isEqualTo("cancel");
            assertThat(command.who()).isEqualTo("otto");
            assertThat(command.why()).isEqualTo("it went astray");
          });
      assertThat(post("/actions/pause", "{\"scope\":\"tenant:default\"}").statusCode())
          .isEqualTo(200);
      assertThat(ask("/api/summary").statusCode()).isEqualTo(200);
    } finally {
      client.close();
    }
  }

  /** The session of the item, once it has processes. */
  private String running() {
    var session = new AtomicReference<>("");
    KafkaFixture.await()
        .untilAsserted(() -> {
          JsonNode live = RecordJson.parse(ask("/api/ps").body());
          assertThat(live).hasSize(1);
          session.set(live.get(0).get("session").asText());
          assertThat(ProcSampler.withCookie(session.get())).isNotEmpty();
        });
    return session.get();
  }

  private HttpResponse<String> ask(String path) {
    return send(HttpRequest.newBuilder(URI.create(console + path)));
  }

  private HttpResponse<String> post(String path, String json) {
    return send(
        HttpRequest.newBuilder(URI.create(console + path))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(json)));
  }

  private HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      return client.send(
          request.header("Authorization", "Bearer " + TOKEN).build(),
          HttpResponse.BodyHandlers.ofString());
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Every record of the commands topic, read as any client may. */
  private static List<Command> commands(String kafka) {
    var settings = new KafkaSettings(Topics.DEFAULT, Map.of("bootstrap.servers", kafka));
    var commands = new ArrayList<Command>();
    try (KafkaConsumer<String, byte[]> consumer =
        new KafkaClients(settings, "test").consumer("commands")) {
      List<TopicPartition> all =
          IntStream.range(0, 6)
              .mapToObj(n -> new TopicPartition(Topics.DEFAULT.commands(), n))
              .toList();
      consumer.assign(all);
      consumer.seekToBeginning(all);
      Map<TopicPartition, Long> ends = consumer.endOffsets(all);
      while (all.stream().anyMatch(each -> consumer.position(each) < ends.getOrDefault(each, 0L))) {
        for (var record : consumer.poll(Duration.ofMillis(200))) {
          commands.add(RecordJson.read(record.value(), Command.class));
        }
      }
    }
    return commands;
  }
}
