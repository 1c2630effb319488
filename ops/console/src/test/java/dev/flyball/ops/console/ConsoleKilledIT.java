package dev.flyball.ops.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.metric.MetricWindow;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.contract.topic.Topics;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.console.ConsoleRoutes.Answer;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.testkit.KafkaFixture;
import dev.flyball.testkit.Sample;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The console in a process of its own, which is killed with -9 while it reads. */
class ConsoleKilledIT {
  @RegisterExtension static final KafkaFixture KAFKA = KafkaFixture.provisioned();
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int ROUNDS = Integer.getInteger("console.kills", 1);
  private static final int ITEMS = 40;

  /** Within the time that events are kept. */
  private final Instant start = Instant.now().minusSeconds(3_600);

  @TempDir Path folder;

  /** The console alone: {@code FOLDER BOOTSTRAP-SERVERS PREFIX}. */
  public static final class ConsoleProcess {
    private ConsoleProcess() {}

    /** Runs until it is killed. */
    public static void main(String[] args) throws InterruptedException {
      var settings =
          new KafkaSettings(new Topics(args[2]), Map.of("bootstrap.servers", args[1]), 1);
      try (var app =
          new ConsoleApp(ConsoleConfig.defaults(Path.of(args[0])), settings, new Telemetry())) {
        app.start();
        Thread.currentThread().join();
      }
    }
  }

  @Test
  @DisplayName("killed with -9 or built again from the topics, it gives the same answers (S0-59)")
  void aKilledConsoleAndARebuiltOneGiveTheSameAnswers() throws Exception {
    try (var admin = KAFKA.clients("test").admin("topics")) {
      var states = new NewTopic(KAFKA.topics().itemState(), 6, (short) 1);
      admin.createTopics(List.of(states)).all().get();
    }
    KAFKA.produce(ledger(), "-", new LedgerEntry.Init(3, 45_000, List.of()));
    Path killed = folder.resolve("killed");
    for (int round = 0; round < ROUNDS; round++) {
      int first = round * ITEMS;
      Process console = start(killed);
      try {
        KafkaFixture.await().until(() -> Files.exists(killed.resolve("console.db")));
        for (int n = 0; n < ITEMS; n++) {
          happens(first + n);
        }
        // Anywhere within the round: most of what happened may not be read yet.
        KafkaFixture.await().until(() -> items(killed) > first);
      } finally {
        console.destroyForcibly();
        assertThat(console.waitFor(30, TimeUnit.SECONDS)).isTrue();
      }
    }

    Map<String, String> ofKilled = answers(killed);
    Map<String, MetricWindow> windows = windows(0);
    int records = KAFKA.records(KAFKA.topics().metrics()).size();

    assertThat(ofKilled).isEqualTo(answers(folder.resolve("rebuilt")));
    assertThat(windows(records)).as("the metrics topic").isEqualTo(windows);
    assertThat(windows.values().stream().filter(it -> it.size().equals("1h")))
        .extracting(MetricWindow::claimed)
        .as("each event counts once")
        .satisfies(hours ->
            assertThat(hours.stream().mapToLong(it -> it).sum()).isEqualTo((long) ROUNDS * ITEMS));
    assertThat(records).as("not one record for each event").isLessThan(ROUNDS * ITEMS);
    assertThat(ofKilled.get("items")).contains("a/b/" + (ROUNDS * ITEMS - 1));
    assertThat(ofKilled.get("sessions")).contains("\"exitCode\":3");
    assertThat(ofKilled.get("actions")).contains("\"why\":\"night 7\"");
    assertThat(ofKilled.get("dead-letters")).contains("reason 3");
  }

  private void happens(int n) {
    String key = "a/b/" + n;
    KAFKA.produceRaw(KAFKA.topics().itemState(), key, RecordJson.bytes(state(n)));
    KAFKA.produce(ledger(), key, Sample.claim(key, "q" + n, "s" + n));
    KAFKA.produce(event(EventType.SESSION_CLAIMED, n, EventData.EMPTY.with(Field.RUNNER, "r1")));
    if (n % 3 == 0) {
      KAFKA.produce(ledger(), key, new LedgerEntry.Expire("s" + n, -1));
      KAFKA.produce(
          event(
              EventType.SESSION_FAILED,
              n,
              EventData.EMPTY
                  .with(Field.EXIT_CODE, 3)
                  .with(Field.COST_MICROS, 10)
                  .with(Field.RECEIPT, new Receipt("A", 2, 0, List.of(), 0))));
      KAFKA.produce(
          KAFKA.topics().deadLetters(),
          key,
          new DeadLetter("reason " + n, "t", 0, n, null, "triage", start.plusSeconds(n)));
    }
    if (n % 7 == 0) {
      KAFKA.produce(ledger(), "-", new LedgerEntry.Cap("tenant:a", n, -1, "ann", "night " + n));
    }
  }

  /** Starts a console of a service over this folder. */
  private static Process start(Path data) throws Exception {
    return new ProcessBuilder(
            ProcessHandle.current().info().command().orElseThrow(),
            "-Xmx128m",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            System.getProperty("java.class.path"),
            ConsoleProcess.class.getName(),
            data.toString(),
            KAFKA.bootstrapServers(),
            KAFKA.topics().prefix())
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  private static long items(Path data) {
    return ConsoleView.open(data)
        .map(view -> {
          try (view) {
            return view.count(ItemFilter.ALL);
          }
        })
        .orElse(0L);
  }

  /** The newest window of each size and start, of the records of the topic from this one on. */
  private static Map<String, MetricWindow> windows(int first) {
    return KAFKA.records(KAFKA.topics().metrics()).stream()
        .skip(first)
        .filter(record -> record.key().endsWith("/a"))
        .collect(
            Collectors.toMap(
                ConsumerRecord::key,
                record -> RecordJson.read(record.value(), MetricWindow.class),
                (older, newer) -> newer));
  }

  /** What a console answers that reads the rest, or everything. */
  private Map<String, String> answers(Path data) {
    try (var app =
        new ConsoleApp(ConsoleConfig.defaults(data), KAFKA.settings(), new Telemetry())) {
      app.start();
      assertThat(app.catchUp(PATIENCE)).isTrue();
    }
    var config = ConsoleConfig.defaults(data);
    Map<String, Answer> questions = ConsoleRoutes.answers(config, () -> start.plusSeconds(3_600));
    var answers = new TreeMap<String, String>();
    try (var view = ConsoleView.open(data).orElseThrow()) {
      answers.put("totals", RecordJson.write(view.totals(start)));
      answers.put("search", RecordJson.write(view.items(new ItemFilter(null, null, "slow 15", 9))));
      questions.forEach((name, answer) -> answers.put(name, answer(answer, view, "")));
      for (ItemRow item : view.items(ItemFilter.ALL)) {
        for (String name : List.of("item", "why")) {
          Answer answer = Objects.requireNonNull(questions.get(name));
          answers.merge(name, answer(answer, view, item.key()), String::concat);
        }
      }
    }
    return answers;
  }

  private static String answer(Answer question, ConsoleView view, String key) {
    Object answer = question.of(view, Map.of("key", key, "id", "15"));
    String json =
        RecordJson.write(answer instanceof Optional<?> it ? it.stream().toList() : answer);
    return json.replaceAll("\"asOf\":\"[^\"]*\"", "");
  }

  private static String ledger() {
    return KAFKA.topics().sessionLedger();
  }

  private LifecycleEvent event(EventType type, int n, EventData data) {
    return new LifecycleEvent(
        "e" + n + type,
        type,
        "/runner/r1",
        "a/b/" + n,
        start.plusSeconds(n),
        data.with(Field.SESSION, "s" + n));
  }

  private ItemState state(int n) {
    return Sample.state(
        Sample.snapshot("Search is slow " + n, "text"),
        n % 2 == 0 ? new ItemPhase.New() : new ItemPhase.Skipped("too vague"),
        7,
        start.plusSeconds(n));
  }
}
