package dev.flyball.program.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ConfigurationLoaderTest {
  @TempDir Path folder;

  @Test
  void laterLayersWinAndEachValueKnowsItsSource() {
    Path file = file("cap: 5\nsessions:\n  slots: 2\n  attempts: 7\n");

    Configuration loaded =
        ConfigurationLoader.load(
            file, Map.of("FLYBALL_SESSIONS_SLOTS", "8"), List.of("sessions.attempts=9"));

    assertThat(loaded.get(Keys.CAP)).isEqualTo(5);
    assertThat(loaded.origin(Keys.CAP)).isEqualTo(file + ":1");
    assertThat(loaded.get(Keys.SLOTS)).isEqualTo(8);
    assertThat(loaded.origin(Keys.SLOTS)).isEqualTo("FLYBALL_SESSIONS_SLOTS");
    assertThat(loaded.get(Keys.ATTEMPTS)).isEqualTo(9);
    assertThat(loaded.origin(Keys.ATTEMPTS)).isEqualTo("--set");
    assertThat(loaded.origin(Keys.DRAIN)).isEqualTo("default");
  }

  @Test
  void dottedAndNestedKeysMeanTheSameAndKafkaKeepsItsDots() {
    Configuration loaded =
        load("sessions.wall-clock: 2m\nkafka: {bootstrap.servers: 'h:1', runner.linger.ms: 5}\n");

    assertThat(loaded.get(Keys.WALL_CLOCK)).isEqualTo(Duration.ofMinutes(2));
    assertThat(loaded.kafka("producer")).isEqualTo(Map.of("bootstrap.servers", "h:1"));
    assertThat(loaded.kafka("runner"))
        .isEqualTo(Map.of("bootstrap.servers", "h:1", "linger.ms", "5"));
  }

  @Test
  void unknownKeysAndBadValuesAreRefusedWithFileLineAndWhatIsAllowedAllAtOnce() {
    Path file =
        file(
            "cap: many\n"
                + "sesions:\n"
                + "  agent: scout\n"
                + "ledger: {lease: 45}\n"
                + "cap: 2\n"
                + "agents:\n"
                + "  - {name: a, agent: claude, modle: x}\n"
                + "notfy: []\n");

    assertThat(refused(file, Map.of("FLYBALL_CAPP", "1"), List.of("gate.laod=1", "cap")).lines())
        .containsExactly(
            file + ":3: no such key 'sesions.agent'; did you mean 'sessions.agent'?",
            file + ":4: ledger.lease '45' is not a duration, for example 500ms, 2s, 10m, 1h or 7d",
            file + ":5: cap is set twice, first at " + file + ":1",
            file + ":7: no such key 'modle' in a profile of agents; did you mean 'model'?",
            file + ":8: no such key 'notfy'; did you mean 'notify'?",
            "environment variable FLYBALL_CAPP: no such key; did you mean 'FLYBALL_CAP'?",
            "--set: no such key 'gate.laod'; did you mean 'gate.load'?",
            "--set cap: write --set key=value, for example --set cap=3");
  }

  @Test
  void whatIsNoFileOfKeysIsRefused() {
    Path file = file("cap: 3\n\ttenant: x\n");
    assertThat(refused(file)).startsWith(file + ":2: not YAML: ");
    assertThat(refused(file("cap:\n"))).contains("cap has no value");
    assertThat(refused(file("sessions: &a\n  x: *a\n"))).contains("nested too deeply");
    assertThat(refused(folder.resolve("nowhere.yaml"))).contains("nowhere.yaml: no such file");
    assertThat(refused(folder))
        .isEqualTo(folder + ": cannot be read (it is a folder); name a file of keys and values");
  }

  @Test
  void theSessionsCookieAndEmptyVariablesAreNoConfiguration() {
    Configuration loaded =
        ConfigurationLoader.load(
            file(""),
            Map.of(
                "FLYBALL_SESSION",
                "x",
                "FLYBALL_CAP",
                " ",
                "FLYBALL_KAFKA_BOOTSTRAP_SERVERS",
                "h:1"),
            List.of());

    assertThat(loaded.get(Keys.CAP)).isEqualTo(3);
    assertThat(loaded.kafka("runner")).isEqualTo(Map.of("bootstrap.servers", "h:1"));
  }

  @Test
  void everyKeysDefaultIsAcceptedByItsOwnType() {
    Configuration loaded = load("");

    for (Key<?> key : Keys.all()) {
      assertThat(loaded.find(key).isPresent()).as(key.name()).isEqualTo(key.initial() != null);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ssl.keystore.password",
        "ssl.keystore.key",
        "ssl.keystore.certificate.chain",
        "runner.ssl.key.password",
        "triage.main.consumer.sasl.jaas.config",
        "sasl.oauthbearer.client.credentials.client.secret",
        "plugin.private.key.passphrase"
      })
  @DisplayName("what Kafka defines as a password is not printed, whatever its name")
  void kafkaPasswordsAreNotPrinted(String property) {
    assertThat(load("kafka: {" + property + ": hunter2, client.rack: a1}\n").rows())
        .extracting(row -> row.key() + "=" + row.value())
        .contains("kafka." + property + "=(hidden)", "kafka.client.rack=a1")
        .noneMatch(row -> row.contains("hunter2"));
  }

  @ParameterizedTest
  @CsvSource({
    "FLYBALL_SERVICE_HOST, 10.0.0.1",
    "FLYBALL_SERVICE_PORT, 8321",
    "FLYBALL_SERVICE_PORT_HTTP, 8321",
    "FLYBALL_PORT, tcp://10.0.0.1:8321",
    "FLYBALL_PORT_8321_TCP, tcp://10.0.0.1:8321",
    "FLYBALL_PORT_8321_TCP_PROTO, tcp",
    "FLYBALL_PORT_8321_TCP_PORT, 8321",
    "FLYBALL_PORT_8321_TCP_ADDR, 10.0.0.1",
    "FLYBALL_KAFKA_SERVICE_HOST, 10.0.0.1",
    "FLYBALL_KAFKA_PORT, tcp://10.0.0.1:9092",
  })
  @DisplayName("variables that Kubernetes adds for a service called flyball are no configuration")
  void serviceLinksAreIgnored(String variable, String value) {
    Configuration loaded = ConfigurationLoader.load(file(""), Map.of(variable, value), List.of());

    assertThat(loaded.settings()).isEmpty();
  }

  private Configuration load(String yaml) {
    return ConfigurationLoader.of(yaml, folder.resolve("flyball.yaml"));
  }

  /** The one line of a file that is refused. */
  private static String refused(Path file) {
    return String.valueOf(refused(file, Map.of(), List.of()).getMessage());
  }

  private static ConfigurationError refused(Path file, Map<String, String> env, List<String> sets) {
    return catchThrowableOfType(
        ConfigurationError.class, () -> ConfigurationLoader.load(file, env, sets));
  }

  private Path file(String yaml) {
    try {
      return Files.writeString(folder.resolve("flyball.yaml"), yaml);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static final Path HERE = Path.of("");

  @ParameterizedTest
  @CsvSource({"16KiB,16384", "64MB,67108864", "1G,1073741824", "10,10", "10B,10"})
  void sizesCountIn1024s(String text, long bytes) {
    assertThat(ValueType.SIZE_BYTES.parse(text, HERE)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"A,B", "A, B", "[A,B]", "[A, B]", " [ A , B ] ", "[\"A\",\"B\"]"})
  void aListIsReadAsThePageWritesIt(String text) {
    assertThat(ValueType.NAMES.parse(text, HERE)).containsExactly("A", "B");
  }

  @ParameterizedTest
  @ValueSource(strings = {"[::1]", "[fe80::1]"})
  void anAddressInBracketsIsNoList(String text) {
    assertThat(ValueType.NAMES.parse(text, HERE)).containsExactly(text);
  }

  @Test
  void dollarsAreMicros() {
    assertThat(ValueType.MICROS.parse("0.50", HERE)).isEqualTo(500_000);
    assertThatThrownBy(() -> ValueType.MICROS.parse("-1", HERE))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
