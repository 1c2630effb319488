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

/** Operators with tokens steer a running service over HTTP. */
@Tag("long")
final class ConsoleActionIT {
  private static final String ITEM = "default/items/1";
  private static final String FAILING = "default/items/2";
  private static final String TOKEN = "the-token-of-an-operator";
  private static final String ADMIN = "the-token-of-an-administrator";

  @TempDir Path folder;
  private final HttpClient client = HttpClient.newHttpClient();
  private String console = "";

  @Test
  void everyActionTakesEffectAndItsRecordSaysWhoAndWhy() throws IOException {
    var desk = new Desk(folder);
    desk.write("items.jsonl", Desk.item("1", "Lease expires too early", Desk.LEASE, "1"));
    desk.write("token", TOKEN + "\n");
    desk.write("admin", ADMIN + "\n");
    desk.write(
        "flyball.yaml",
        """
        sources: [{name: items, type: jsonl, path: items.jsonl, interval: 1s}]
        sessions: {repo: repo, agent: "%s", attempts: 1}
        console:
          listen: "127.0.0.1:0"
          tokens:
            - {name: otto, token-file: token, roles: ["default:operator"]}
            - {name: anna, token-file: admin, roles: ["default:admin"]}
        broker: {listen: "127.0.0.1:0"}
        """
            .formatted(
                desk.agent(
                    "agent",
                    "case \"$(cat)\" in *fails*) exit 3;; esac; sleep 600 & sleep 600\n")));
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
      pausesAndResumes();
      limitsTheTenant();
      retriesAllThatMatch();
      desk.write(
          "items.jsonl",
          Desk.item("1", "Lease expires too early", Desk.LEASE, "1")
              + Desk.item("2", "The parser fails on 7d", Desk.LEASE, "1"));
      pollsNow();
      requeuesADeadItem();
      assertThat(commands(kafka))
          .extracting(command -> command.word() + " by " + command.who())
          .containsExactlyInAnyOrder(
              "cancel by otto", "retry by otto", "poll by otto", "requeue by otto");
    } finally {
      client.close();
    }
  }

  private void pausesAndResumes() {
    String tenant = "{\"scope\":\"tenant:default\"}";
    assertThat(post("/actions/pause", tenant).statusCode()).isEqualTo(200);
    assertThat(post("/actions/resume", tenant).statusCode()).isEqualTo(200);
    assertThat(post("/actions/resume", tenant).statusCode()).as("nothing is paused").isEqualTo(409);
  }

  private void limitsTheTenant() {
    String budget = "{\"scope\":\"tenant:default\",\"dailyUsd\":\"5\"}";
    assertThat(post("/actions/budget", budget).statusCode()).isEqualTo(403);
    assertThat(post("/actions/budget", budget, ADMIN).statusCode()).isEqualTo(200);
    String cap = "{\"scope\":\"tenant:default\",\"limit\":2}";
    assertThat(post("/actions/cap", cap, ADMIN).statusCode()).isEqualTo(200);
    KafkaFixture.await()
        .untilAsserted(() -> {
          assertThat(ask("/api/spend").body()).contains("\"limitMicros\":5000000");
          assertThat(ask("/api/caps").body()).contains("tenant:default");
        });
    String removal = "{\"scope\":\"tenant:default\",\"limit\":\"none\"}";
    assertThat(post("/actions/cap", removal, ADMIN).statusCode()).isEqualTo(200);
    assertThat(post("/actions/cap", removal, ADMIN).statusCode()).as("none is left").isEqualTo(409);
    KafkaFixture.await()
        .untilAsserted(() -> assertThat(ask("/api/caps").body()).doesNotContain("tenant:default"));
  }

  /** The cancelled item is the only one that matches. */
  private void retriesAllThatMatch() {
    String asked = "{\"do\":\"retry\",\"state\":\"cancelled\",\"confirm\":%s,\"digest\":\"%s\"}";
    KafkaFixture.await()
        .untilAsserted(() -> assertThat(ask("/api/items?state=cancelled").body()).contains(ITEM));
    HttpResponse<String> counted = post("/actions/items", asked.formatted("null", ""));
    assertThat(counted.statusCode()).isEqualTo(422);
    assertThat(counted.body()).contains("\"count\":1");
    String digest = RecordJson.parse(counted.body()).path("digest").asText();
    assertThat(post("/actions/items", asked.formatted(2, digest)).statusCode()).isEqualTo(409);
    HttpResponse<String> others = post("/actions/items", asked.formatted(1, "0".repeat(32)));
    assertThat(others.statusCode()).as("as many, but not these").isEqualTo(409);
    HttpResponse<String> retried = post("/actions/items", asked.formatted(1, digest));
    assertThat(retried.statusCode()).as(retried.body()).isIn(200, 202);
    assertThat(RecordJson.parse(retried.body()).path("effects").path(0).path("before").asText())
        .isEqualTo("cancelled");
  }

  private void pollsNow() {
    HttpResponse<String> polled = post("/actions/poll", "{\"source\":\"default/items\"}");
    assertThat(polled.statusCode()).as(polled.body()).isEqualTo(200);
    assertThat(polled.body()).contains("default/items: polled, ");
  }

  private void requeuesADeadItem() {
    KafkaFixture.await()
        .untilAsserted(() -> assertThat(ask("/api/items?state=dead").body()).contains(FAILING));
    String requeue = "{\"do\":\"requeue\",\"key\":\"" + FAILING + "\",\"why\":\"again\"}";
    HttpResponse<String> requeued = post("/actions/dead-letters", requeue);
    assertThat(requeued.statusCode()).as(requeued.body()).isIn(200, 202);
    JsonNode effect = RecordJson.parse(requeued.body()).path("effects").path(0);
    assertThat(effect.path("before").asText()).isEqualTo("dead");
    assertThat(effect.path("after").asText()).isEqualTo("triaging");
  }

  /** The session of the item, once it has processes and triage has read of it in the ledger. */
  private String running() {
    var session = new AtomicReference<>("");
    KafkaFixture.await()
        .untilAsserted(() -> {
          JsonNode live = RecordJson.parse(ask("/api/ps").body());
          assertThat(live).hasSize(1);
          session.set(live.get(0).get("session").asText());
          assertThat(ProcSampler.withCookie(session.get())).isNotEmpty();
          assertThat(ask("/api/items?state=running").body()).contains(ITEM);
        });
    return session.get();
  }

  private HttpResponse<String> ask(String path) {
    return send(TOKEN, HttpRequest.newBuilder(URI.create(console + path)));
  }

  private HttpResponse<String> post(String path, String json) {
    return post(path, json, TOKEN);
  }

  private HttpResponse<String> post(String path, String json, String token) {
    return send(
        token,
        HttpRequest.newBuilder(URI.create(console + path))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(json)));
  }

  private HttpResponse<String> send(String token, HttpRequest.Builder request) {
    try {
      return client.send(
          request.header("Authorization", "Bearer " + token).build(),
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
