package dev.flyball.program.newcomer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.broker.BrokerSecret;
import dev.flyball.contract.command.Command;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.program.cli.CommandLineFixture;
import dev.flyball.program.cli.CommandLineFixture.Answer;
import dev.flyball.program.launch.Program;
import dev.flyball.program.launch.Workplace;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.testkit.ProcSampler;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * A service and what operators do with it, by commands and over HTTP. The tests share one service
 * and go on from each other: a start of everything takes longer than most of them.
 */
@Tag("long")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class ServiceIT {
  private static final String WATCHED = "default/items/1";
  private static final String DEAD = "default/items/2";
  private static final String HANGING = "default/items/4";
  private static final String DEAD_TOO = "default/items/6";
  private static final String OPERATOR = "the-token-of-an-operator";
  private static final String ADMIN = "the-token-of-an-administrator";
  private static final Topics TOPICS = Topics.DEFAULT;

  /** More than the console answers at a time. */
  private static final int LINES = 4_500;

  /** Leaves processes of every kind behind itself where it hangs. */
  private static final String AGENT =
      """
      case "$(cat)" in
        *hangs*) sleep 600 & setsid sleep 600 & (setsid setsid sleep 600 &) ; sleep 600 ;;
        *fails*) [ -e "$HOME/mended" ] || exit 3 ;;
        *lingers*)
          printf 'red \\033[31mred\\n'; echo oops >&2
          until [ -e "$HOME/go" ]; do sleep 0.1; done; seq %d ;;
      esac
      echo 'see src/Ledger.java:3'
      """
          .formatted(LINES);

  @TempDir static Path folder;
  private static Workplace place;

  @AutoClose("stop")
  private static Program up;

  private static String configuration = "";
  private static String console = "";
  private static String kafka = "";
  private static String items = "";

  @BeforeAll
  static void start() {
    place = Workplace.in(folder);
    place.write("items.jsonl", items);
    place.write("token", OPERATOR + "\n");
    place.write("admin", ADMIN + "\n");
    place.write("viewer", "the-token-of-another-tenant\n");
    configuration =
        """
        sessions: {repo: repo, agent: "%s", attempts: 1}
        console:
          listen: "127.0.0.1:0"
          tokens:
            - {name: otto, token-file: token, roles: ["default:operator"]}
            - {name: anna, token-file: admin, roles: ["*:admin"]}
            - {name: vera, token-file: viewer, roles: ["other:viewer"]}
        broker: {listen: "127.0.0.1:0"}
        sources:
          - {name: items, type: jsonl, path: items.jsonl, interval: 1s}
        """
            .formatted(place.agent("agent.sh", AGENT));
    place.write("flyball.yaml", configuration);
    up = Program.up(folder);
    console = up.ready("console");
    kafka = up.ready("kafka");
  }

  @Test
  @Order(1)
  void pauseResumeCapAndBudgetHoldAtOnceAndSayWhatTheyDid() {
    Answer pause = command("pause", "--why", "the build machine is busy");
    assertThat(pause.err()).contains("global is paused: ", "; ./flyball resume undoes it");
    JsonNode paused = pause.json().get(0);
    assertThat(paused.get("scope").asText()).isEqualTo("global");
    assertThat(paused.get("until").asText()).as("no end").isEmpty();
    assertThat(paused.get("why").asText()).isEqualTo("the build machine is busy");

    items("1", "The lease lingers");
    items("2", "The parser fails on 7d");
    stands("queued", WATCHED, DEAD);
    assertThat(answer("cap").get(0).get("live").asInt()).isZero();
    assertThat(CommandLineFixture.in(folder, "why", "1").out())
        .contains("It is queued: global paused by ", "the build machine is busy");

    assertThat(answer("cap", "2").get(0).get("cap").asInt()).isEqualTo(2);
    assertThat(answer("budget", "--daily-usd", "0.5").get(0).get("dailyUsd").asText())
        .isEqualTo("0.5");
    answer("budget", "--daily-tokens", "5000");
    assertThat(answer("budget", "--daily-usd", "0.4").get(0).get("dailyTokens").asLong())
        .as("the limit that was not named stays")
        .isEqualTo(5_000);
    assertThat(answer("budget", "--none").get(0).get("dailyUsd").asText()).isEqualTo("none");
    stands("queued", WATCHED, DEAD);

    Answer resumed = command("resume");
    assertThat(resumed.json()).isEmpty();
    assertThat(resumed.err()).contains("global is resumed: its sessions start again");
    stands("running", WATCHED);
    refused(1, "resume");
    refused(2, "pause", "--scope", "tenants");
    refused(2, "pause", "--for", "a while");
  }

  @Test
  @Order(2)
  @DisplayName("S0-52 S1-12 S4-9: a session is seen while it runs, its output followed to its end")
  void aSessionIsSeenWhileItRunsAndItsOutputIsFollowedToItsEnd() {
    stands("dead", DEAD);
    assertThat(CommandLineFixture.in(folder, "ps").out()).hasLineCount(2);
    String session =
        CommandLineFixture.in(folder, "ps", "--json").json().path(0).path("session").asText();

    assertThat(CommandLineFixture.in(folder, "why", "1").out())
        .contains("It is running: session " + session + " on ");
    assertThat(CommandLineFixture.in(folder, "topics").err())
        .as("found by its data folder")
        .isEmpty();

    try (Program logs = Program.start(folder, "logs", "-f", "1");
        Program through = Program.start(folder, remote("token", "logs", "--follow", "1"))) {
      logs.awaitLine("err\toops");
      through.awaitLine("err\toops");
      place.write("go", "");
      for (Program each : List.of(logs, through)) {
        assertThat(each.awaitEnd()).as(each::err).isZero();
        assertThat(each.out().lines().filter(line -> !line.matches("out\t[0-9]+")))
            .containsExactlyInAnyOrder(
                "out\tred \\u001b[31mred", "err\toops", "out\tsee src/Ledger.java:3");
        assertThat(each.out().lines().filter(line -> line.matches("out\t[0-9]+")))
            .as("all parts of a long output, in order")
            .containsExactlyElementsOf(
                IntStream.rangeClosed(1, LINES).mapToObj(n -> "out\t" + n).toList());
      }
    }
    String begin = session.substring(0, 8);
    Answer again = CommandLineFixture.in(folder, "logs", begin, "--json");
    assertThat(again.code()).as(again.err()).isZero();
    assertThat(again.out())
        .hasLineCount(3 + LINES)
        .contains("\"stream\":\"err\",\"line\":\"oops\"");
    assertThat(again.err()).isEqualTo("flyball: session " + session + " of default/items/1\n");
    assertThat(CommandLineFixture.in(folder, remote("token", "logs", begin, "--json")))
        .as("through the console")
        .isEqualTo(again);
    Answer hidden = CommandLineFixture.in(folder, remote("viewer", "logs", session));
    assertThat(hidden.code()).isEqualTo(1);
    assertThat(hidden.err()).startsWith("flyball: no session '" + session + "'; give an item");
  }

  @Test
  @Order(3)
  void aDeadItemIsRetriedRequeuedAndForgotten() {
    JsonNode letter = answer("dead-letters").get(0);
    assertThat(letter.get("key").asText()).isEqualTo(DEAD);
    assertThat(letter.get("topic").asText()).isEqualTo(TOPICS.workItems());
    assertThat(letter.get("reason").asText()).contains("exit 3");
    row(answer("retry", DEAD, "--why", "a look"), "dead", "queued");
    stands("dead", DEAD);

    place.write("mended", "");
    row(answer("dead-letters", "requeue", DEAD), "dead", "triaging");
    stands("analyzed", DEAD);
    assertThat(answer("dead-letters").get(0).get("now").asText())
        .as("a letter stays, and says that its item is settled")
        .isEqualTo("analyzed");

    assertThat(refused(1, "skip", "default/items/99"))
        .isEqualTo("flyball: no item 'default/items/99'; list items with ./flyball items");
    assertThat(refused(1, "cancel", DEAD)).endsWith(": it is analyzed already");
    assertThat(refused(1, "dead-letters", "requeue", "none")).contains("'none'");
    row(answer("retry", "2"), "analyzed", "queued");
    stands("analyzed", DEAD);

    row(answer("forget", DEAD, "--why", "asked to"), "analyzed", "unknown");
    KafkaFixture.await()
        .untilAsserted(() -> {
          assertThat(newest(TOPICS.itemState(), DEAD)).as("its state").isNull();
          assertThat(newest(TOPICS.sessionRequests(), DEAD)).as("a request").isNull();
          assertThat(ask("/api/items").body()).doesNotContain(DEAD).contains(WATCHED);
        });
    assertThat(newest(TOPICS.itemState(), WATCHED)).as("another's state").isNotNull();
    assertThat(newest(TOPICS.analyses(), DEAD)).as("its analysis").isNotNull();
    assertThat(newest(TOPICS.workItems(), DEAD)).as("its snapshot").isNotNull();
    assertThat(refused(1, "retry", DEAD)).startsWith("flyball: no item");
    items("2", "The parser fails on 8d");
    stands("analyzed", DEAD);
  }

  @Test
  @Order(4)
  void aSessionIsCancelledWithAllThatItStarted() {
    items("4", "The parser hangs on 7d");
    String session = running();
    assertThat(refused(1, "retry", HANGING)).contains(session);

    JsonNode cancelled = answer("cancel", session, "--why", "it went astray");

    assertThat(ProcSampler.withCookie(session)).isEmpty();
    row(cancelled, "running", "cancelled");
    JsonNode row = cancelled.get(0);
    assertThat(row.get("session").asText()).isEqualTo(session);
    assertThat(row.get("outcome").asText()).isEqualTo("cancelled");
    assertThat(row.get("survivors").asText()).isEqualTo("0");
    assertThat(row.get("why").asText()).isEqualTo("it went astray");
    stands("cancelled", HANGING);
  }

  @Test
  @Order(5)
  void everyActionOverHttpTakesEffectAndItsRecordSaysWhoAndWhy() throws IOException {
    assertThat(post("/actions/cap", "{\"limit\":1}").statusCode()).isEqualTo(403);
    String tenant = "{\"scope\":\"tenant:default\"}";
    assertThat(post("/actions/pause", tenant).statusCode()).isEqualTo(200);
    assertThat(post("/actions/resume", tenant).statusCode()).isEqualTo(200);
    assertThat(post("/actions/resume", tenant).statusCode()).as("nothing is paused").isEqualTo(409);
    limitsTheTenant();
    retriesAllThatMatch();

    String session = running();
    String cancel = "{\"do\":\"cancel\",\"key\":\"" + HANGING + "\",\"why\":\"it went astray\"}";
    JsonNode effect = effect(post("/actions/item", cancel), "running", "cancelled");
    assertThat(effect.path("session").asText()).isEqualTo(session);
    KafkaFixture.await().until(() -> ProcSampler.withCookie(session).isEmpty());

    Files.delete(folder.resolve("mended"));
    items("6", "Another parser fails on 7d");
    HttpResponse<String> polled = post("/actions/poll", "{\"source\":\"default/items\"}");
    assertThat(polled.statusCode()).as(polled.body()).isEqualTo(200);
    assertThat(polled.body()).contains("default/items: polled, ");
    stands("dead", DEAD_TOO);
    assertThat(answer("poll").get(0).path("result").asText()).isEqualTo("polled");
    String requeue = "{\"do\":\"requeue\",\"key\":\"" + DEAD_TOO + "\",\"why\":\"again\"}";
    effect(post("/actions/dead-letters", requeue), "dead", "triaging");

    assertThat(
            records(TOPICS.commands()).stream()
                .map(each -> RecordJson.read(each.value(), Command.class))
                .filter(each -> each.who().equals("otto"))
                .map(each -> each.word() + " " + each.why()))
        .hasSize(4)
        .contains("cancel it went astray", "requeue again")
        .anyMatch(each -> each.startsWith("retry "))
        .anyMatch(each -> each.startsWith("poll "));
  }

  private static void limitsTheTenant() {
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
  private static void retriesAllThatMatch() {
    String asked = "{\"do\":\"retry\",\"state\":\"cancelled\",\"confirm\":%s,\"digest\":\"%s\"}";
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

  @Test
  @Order(6)
  @DisplayName("S0-51: a source added while `up` runs is polled; a bad file changes nothing")
  void aServiceGoesByTheFileAsItIs() {
    place.write(
        "two.jsonl", Workplace.item("2", "The lease expires too late", Workplace.LEASE, "1"));
    place.write("flyball.yaml", configuration + "  - {name: two, type: jsonl}\n");
    up.awaitLine(
        "flyball.yaml is not applied, the previous configuration stays: flyball.yaml:11: ");
    KafkaFixture.await().untilAsserted(() -> assertThat(health()).contains("flyball.yaml:11"));
    place.write(
        "flyball.yaml",
        configuration + "  - {name: two, type: jsonl, path: two.jsonl, interval: 1s}\n");
    up.awaitLine("flyball.yaml read again: added default/two");
    stands("analyzed", "default/two/2");
    assertThat(health()).doesNotContain("flyball.yaml");
  }

  @Test
  @Order(7)
  @DisplayName("a record that no consumer can read is a dead letter, and the next item runs")
  void anUnreadableRecordOnAnyTopicStopsNothing() throws Exception {
    String key = "default/items/broken";
    Map<String, Long> written = new HashMap<>();
    var owner = BrokerSecret.clientProperties(folder.resolve(".flyball/kafka")).orElseThrow();
    try (var producer =
        new KafkaClients(new KafkaSettings(TOPICS, owner), "test").producer("raw")) {
      for (String topic :
          List.of(
              TOPICS.workItems(),
              TOPICS.triageRequests(),
              TOPICS.triageVerdicts(),
              TOPICS.sessionRequests(),
              TOPICS.sessionLedger(),
              TOPICS.sessionEvents(),
              TOPICS.itemState(),
              TOPICS.analyses())) {
        var broken = new ProducerRecord<>(topic, key, "{not json".getBytes(UTF_8));
        written.put(topic, producer.send(broken).get().offset());
      }
    }

    items("9", "Lease expires too early");

    stands("analyzed", "default/items/9");
    KafkaFixture.await()
        .untilAsserted(() -> assertThat(letters(key)).containsAllEntriesOf(written));
    assertThat(up.alive()).isTrue();
  }

  /** By the topic of the unreadable record, its offset. */
  private static Map<String, Long> letters(String key) {
    Map<String, Long> offsets = new HashMap<>();
    for (var record : records(TOPICS.deadLetters())) {
      DeadLetter letter = RecordJson.read(record.value(), DeadLetter.class);
      if (key.equals(record.key())) {
        assertThat(letter.reason()).isNotBlank();
        assertThat(letter.partition()).isNotNegative();
        offsets.put(letter.topic(), letter.offset());
      }
    }
    return offsets;
  }

  /** Adds an item, or changes one: the last line of an id counts. */
  private static void items(String id, String title) {
    String revision = Long.toString(1 + items.lines().filter(it -> it.contains(id)).count());
    items += Workplace.item(id, title, Workplace.LEASE + " " + title, revision);
    place.write("items.jsonl", items);
  }

  /** The session of the item that hangs, once it has its processes and triage has read of it. */
  private static String running() {
    stands("running", HANGING);
    String session = RecordJson.parse(ask("/api/ps").body()).path(0).path("session").asText();
    KafkaFixture.await()
        .untilAsserted(
            () -> assertThat(ProcSampler.withCookie(session)).hasSizeGreaterThanOrEqualTo(5));
    return session;
  }

  private static void stands(String state, String... keys) {
    KafkaFixture.await()
        .untilAsserted(() -> assertThat(ask("/api/items?state=" + state).body()).contains(keys));
  }

  private static void row(JsonNode table, String before, String after) {
    assertThat(table).hasSize(1);
    assertThat(table.get(0).get("before").asText()).isEqualTo(before);
    assertThat(table.get(0).get("after").asText()).isEqualTo(after);
  }

  private static JsonNode effect(HttpResponse<String> answer, String before, String after) {
    assertThat(answer.statusCode()).as(answer.body()).isIn(200, 202);
    JsonNode effect = RecordJson.parse(answer.body()).path("effects").path(0);
    assertThat(effect.path("before").asText()).isEqualTo(before);
    assertThat(effect.path("after").asText()).isEqualTo(after);
    return effect;
  }

  /** The table of a command as JSON. */
  private static JsonNode answer(String... words) {
    Answer answer = command(words);
    assertThat(answer.code()).as(answer.err()).isZero();
    return answer.json();
  }

  /** The one line of a command that is refused. */
  private static String refused(int code, String... words) {
    Answer answer = command(words);
    assertThat(answer.code()).as(answer.err()).isEqualTo(code);
    assertThat(answer.err()).hasLineCount(1);
    return answer.err().strip();
  }

  private static Answer command(String... words) {
    List<String> more =
        Stream.of("retry", "cancel", "requeue", "forget", "skip").anyMatch(List.of(words)::contains)
            ? List.of("--json", "--bootstrap-servers", kafka, "--wait", "60s")
            : words[0].equals("dead-letters")
                ? List.of("--json")
                : List.of("--json", "--bootstrap-servers", kafka);
    return CommandLineFixture.in(
        folder, Stream.concat(Stream.of(words), more.stream()).toArray(String[]::new));
  }

  /** The words of a command that asks the console with the token in this file. */
  private static String[] remote(String token, String... words) {
    Stream<String> more =
        Stream.of("--console", console, "--console-token-file", folder.resolve(token).toString());
    return Stream.concat(Stream.of(words), more).toArray(String[]::new);
  }

  private static HttpResponse<String> ask(String path) {
    return send(OPERATOR, HttpRequest.newBuilder(URI.create(console + path)));
  }

  private static String health() {
    return send(ADMIN, HttpRequest.newBuilder(URI.create(console + "/health"))).body();
  }

  private static HttpResponse<String> post(String path, String json) {
    return post(path, json, OPERATOR);
  }

  private static HttpResponse<String> post(String path, String json, String token) {
    return send(
        token,
        HttpRequest.newBuilder(URI.create(console + path))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(json)));
  }

  private static HttpResponse<String> send(String token, HttpRequest.Builder request) {
    return Program.send(request.header("Authorization", "Bearer " + token));
  }

  /** The newest value of a key; null where that is a tombstone or there is none. */
  private static byte @Nullable [] newest(String topic, String key) {
    return records(topic).stream()
        .filter(each -> key.equals(each.key()))
        .reduce((_, newer) -> newer)
        .map(ConsumerRecord::value)
        .orElse(null);
  }

  /** Every record of a topic, read as any client may. */
  private static List<ConsumerRecord<String, byte[]>> records(String topic) {
    return KafkaFixture.records(new KafkaClients(KafkaSettings.of(kafka), "test"), topic);
  }
}
