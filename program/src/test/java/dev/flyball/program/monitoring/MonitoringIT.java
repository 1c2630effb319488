package dev.flyball.program.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.Token;
import dev.flyball.kafka.KafkaFigures.KafkaFigure;
import dev.flyball.ops.telemetry.Metric;
import dev.flyball.program.launch.Program;
import dev.flyball.program.launch.Shell;
import dev.flyball.program.launch.Workplace;
import dev.flyball.testkit.FreePort;
import dev.flyball.testkit.KafkaFixture;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A service with one session behind it, a real Prometheus that scrapes it, and its alerts. */
@Tag("long")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class MonitoringIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();

  private static final Path OPS = Path.of("../ops").toAbsolutePath().normalize();
  private static final Path RULES = OPS.resolve("prometheus/flyball-alerts.yml");
  private static final Pattern NAME = Pattern.compile("\\b(flyball_\\w+|kafka_\\w+|up)\\b(?!\")");

  /** Nothing of this run writes them: no tracker over HTTP, no write-back, no such agent. */
  private static final Set<String> SILENT =
      Stream.of(Metric.POLL_FAILURES, Metric.BREAKER_STATE, Metric.WRITE_BACKS)
          .map(Metric::prometheus)
          .collect(Collectors.toSet());

  @TempDir static Path folder;
  @AutoClose private static @Nullable Program up;
  @AutoClose private static @Nullable PrometheusStack prometheus;

  @BeforeAll
  static void aServiceThatIsScraped() throws IOException {
    Workplace place = Workplace.in(folder);
    place.write("items.jsonl", Workplace.backlog(Workplace.LEASE, "1"));
    place.service("");
    place.change("broker: .*", "topics: {prefix: \"" + KAFKA.topics().prefix() + "\"}");
    Program started = Program.up(folder, "--bootstrap-servers", KAFKA.bootstrapServers());
    up = started;
    String console = started.ready("console").replace("http://", "");
    prometheus = new PrometheusStack(folder.resolve("prometheus"), RULES, console);
    KafkaFixture.await()
        .ignoreExceptions()
        .untilAsserted(() -> assertThat(value("sum(flyball_sessions_ended_total)")).isEqualTo(2.0));
  }

  @Test
  @Order(1)
  @DisplayName("MC-10: every expression of every dashboard returns data from a real run")
  void everyExpressionOfTheDashboardsReturnsData() throws IOException {
    List<String> expressions = new ArrayList<>();
    try (Stream<Path> files = Files.list(OPS.resolve("grafana"))) {
      for (Path file : files.filter(it -> it.toString().endsWith(".json")).toList()) {
        RecordJson.parse(Files.readString(file)).findValuesAsText("expr").forEach(expressions::add);
      }
    }
    assertThat(expressions).hasSizeGreaterThan(40).allSatisfy(MonitoringIT::usesKnownNames);
    // An increase needs two scrapes of the same series.
    KafkaFixture.await()
        .untilAsserted(() ->
            assertThat(expressions)
                .filteredOn(Predicate.not(MonitoringIT::silent))
                .allSatisfy(each -> assertThat(prometheus().query(each)).as(each).isNotEmpty()));
  }

  @Test
  @Order(2)
  @DisplayName("every expression of the alert rules is valid and names known metrics")
  void everyAlertAsksForKnownMetrics() throws IOException {
    List<String> expressions =
        Files.readAllLines(RULES).stream()
            .map(String::strip)
            .filter(line -> line.startsWith("expr: "))
            .map(line -> line.substring("expr: ".length()))
            .toList();

    assertThat(expressions)
        .hasSizeGreaterThan(20)
        .allSatisfy(MonitoringIT::usesKnownNames)
        .allSatisfy(each -> assertThat(prometheus().query(each).isArray()).isTrue());
  }

  @Test
  @Order(3)
  @DisplayName("promtool finds nothing wrong with our metrics, and a scrape stays small")
  void aScrapeIsCleanAndSmall() throws IOException {
    String scrape = Objects.requireNonNull(up).get("/metrics").body();
    String ours =
        scrape
            .lines()
            .filter(line -> line.contains("flyball_"))
            .collect(Collectors.joining("\n", "", "\n"));

    assertThat(PrometheusStack.promtool(folder, ours, "check", "metrics")).isEmpty();
    assertThat(scrape.length()).as("bytes").isLessThan(100_000);
    assertThat(scrape.lines().filter(line -> !line.startsWith("#"))).hasSizeLessThan(500);
    // An id in a tag would make new series at every start.
    assertThat(scrape).doesNotContainPattern("[0-9a-f]{8}-[0-9a-f]{4}-");
    assertThat(value("max(scrape_duration_seconds)")).isLessThan(1.0);
  }

  @Test
  @Order(4)
  @DisplayName("a session that started beyond the cap fires its alert")
  void aBrokenCapFiresItsAlert() {
    String ledger = KAFKA.topics().sessionLedger();
    // The ledger's first entry is no claim: nothing permits this session.
    var token = new Token(KAFKA.clients("test").topicId(ledger), 0);
    String session = "6a1f0c3e-0000-4000-8000-000000000009";
    KAFKA.produce(
        new LifecycleEvent(
            "injected",
            EventType.SESSION_SPAWNED,
            "/runner/forged",
            "default/items/9",
            Instant.now(),
            EventData.EMPTY.with(Field.SESSION, session).with(Field.TOKEN, token.toString())));

    KafkaFixture.await()
        .untilAsserted(() ->
            assertThat(prometheus().query("ALERTS{alertstate='firing',severity='critical'}"))
                .extracting(each -> each.path("metric").path("alertname").asText())
                .contains("FlyballInvariantBroken"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "test rules flyball-alerts.test.yml flyball-alerts-week.test.yml",
        "check config prometheus.yml"
      })
  @Order(5)
  @DisplayName(
      "each alert is silent just below its limit and fires at it, with its text (S0-3, S0-56, S2-1,"
          + " S2-9, S4-7, S4-20); the example of a configuration is valid")
  void promtoolAccepts(String words) throws IOException {
    assertThat(PrometheusStack.promtool(OPS.resolve("prometheus"), "", words.split(" "))).isEmpty();
  }

  private static PrometheusStack prometheus() {
    return Objects.requireNonNull(prometheus);
  }

  private static double value(String expression) throws IOException {
    JsonNode found = prometheus().query(expression);
    assertThat(found).as(expression).isNotEmpty();
    return found.get(0).path("value").get(1).asDouble();
  }

  private static void usesKnownNames(String expression) {
    Set<String> known =
        Stream.of(
                Stream.of(Metric.values()).map(Metric::prometheus),
                Stream.of(KafkaFigure.values()).map(KafkaFigure::prometheus),
                Stream.of("up"))
            .flatMap(names -> names)
            .collect(Collectors.toSet());
    assertThat(names(expression)).as(expression).isSubsetOf(known);
  }

  private static boolean silent(String expression) {
    return names(expression).stream().anyMatch(SILENT::contains);
  }

  private static List<String> names(String expression) {
    return NAME.matcher(expression.replaceAll("\"[^\"]*\"", "\"\""))
        .results()
        .map(found -> found.group(1))
        .toList();
  }

  /**
   * Debian's Prometheus, which scrapes one address every second by the repository's alert rules.
   */
  private static final class PrometheusStack implements AutoCloseable {
    private final Process process;
    private final int port = FreePort.take();

    PrometheusStack(Path folder, Path rules, String target) throws IOException {
      Files.createDirectories(folder);
      Files.writeString(
          folder.resolve("prometheus.yml"),
          """
          global: {scrape_interval: 1s, evaluation_interval: 1s}
          rule_files: ["%s"]
          scrape_configs: [{job_name: flyball-console, static_configs: [{targets: ["%s"]}]}]
          """
              .formatted(rules, target));
      process =
          new ProcessBuilder(
                  "prometheus",
                  "--config.file=prometheus.yml",
                  "--storage.tsdb.path=prometheus",
                  "--web.listen-address=127.0.0.1:" + port)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("prometheus.log").toFile())
              .start();
    }

    /** The results of an expression now. */
    JsonNode query(String expression) {
      String encoded = URLEncoder.encode(expression, StandardCharsets.UTF_8);
      String address = "http://127.0.0.1:" + port + "/api/v1/query?query=" + encoded;
      String body = Program.get(URI.create(address)).body();
      JsonNode answer = RecordJson.parse(body);
      assertThat(answer.path("status").asText())
          .as("%s: %s", expression, body)
          .isEqualTo("success");
      return answer.path("data").path("result");
    }

    /** Runs promtool over an input; returns what it complains of, empty if nothing. */
    static String promtool(Path folder, String input, String... arguments) throws IOException {
      Path file = Files.writeString(Files.createTempFile("promtool", ".in"), input);
      var command =
          new ArrayList<>(List.of("sh", "-c", "exec promtool \"$@\" < " + file, "promtool"));
      command.addAll(List.of(arguments));
      Shell.Outcome outcome = new Shell(folder).outcome(command.toArray(String[]::new));
      return outcome.code() == 0 ? "" : outcome.output();
    }

    @Override
    public void close() {
      process.destroyForcibly().onExit().join();
    }
  }
}
