package dev.flyball.program.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.flyball.kafka.ClientFactory;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.config.ConfigurationLoader;
import dev.flyball.triage.topology.StreamService;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.streams.StreamsConfig;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What each client of each role really gets of the {@code kafka.*} properties. */
final class PassedPropertiesTest {
  @TempDir static Path folder;

  @BeforeAll
  static void makeCertificates() throws IOException {
    var certificates = new Certificates(folder);
    certificates.make("client");
    certificates.certificate("client");
    Files.writeString(folder.resolve("client.key"), certificates.key("client"));
    Files.writeString(folder.resolve("login"), SecuredKafka.login("me") + "\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"runner", "operator"})
  void everyClientOfARoleGetsThePropertiesOfAllRolesAndItsOwnOverThem(String role)
      throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("flyball.yaml"),
            """
            kafka:
              bootstrap.servers: "127.0.0.1:1"
              security.protocol: SASL_SSL
              sasl.mechanism: PLAIN
              sasl.jaas.config-file: login
              ssl.truststore.type: PEM
              ssl.truststore.location: %s
              ssl.keystore.type: PEM
              ssl.keystore.key-file: client.key
              ssl.keystore.certificate.chain-file: client.pem
              client.rack: a
              %s.client.rack: b
              %s.send.buffer.bytes: 70000
            """
                .formatted(folder.resolve("client.pem"), role, role));
    Configuration configuration = ConfigurationLoader.load(file, Map.of(), List.of());
    String key = Files.readString(folder.resolve("client.key")).strip();
    var made = new Made(new HashMap<>());
    var clients = new KafkaClients(new AppConfigurations(configuration).kafka(role), role, made);

    clients.producer("p").close(Duration.ZERO);
    clients.consumer("c").close();
    clients.admin("a").close(Duration.ZERO);

    assertThat(made.from).hasSize(3);
    made.from.forEach((purpose, properties) ->
        assertThat(properties)
            .as(purpose)
            .containsEntry("client.rack", "b")
            .containsEntry("send.buffer.bytes", "70000")
            .containsEntry("security.protocol", "SASL_SSL")
            .containsEntry("sasl.jaas.config", SecuredKafka.login("me"))
            .containsEntry("ssl.keystore.key", key));
    assertThat(made.from.get(role + "-p")).containsEntry("acks", "all");
    assertThat(made.from.get(role + "-c")).containsEntry("isolation.level", "read_committed");
    String other = role.equals("runner") ? "console" : "runner";
    assertThat(configuration.kafka(other)).containsEntry("client.rack", "a");
    assertThat(configuration.rows().toString())
        .doesNotContain("me-secret")
        .doesNotContain("PRIVATE KEY")
        .doesNotContain("BEGIN");
    assertThat(new KafkaClients(clients.settings(), role).toString())
        .doesNotContain("me-secret")
        .doesNotContain("BEGIN");
  }

  @Test
  void theClientsOfKafkaStreamsGetWhatHasTheirPrefix() {
    List<String> sets =
        List.of(
            "kafka.bootstrap.servers=127.0.0.1:1",
            "kafka.triage.client.rack=b",
            "kafka.triage.producer.linger.ms=7",
            "kafka.triage.consumer.fetch.min.bytes=3",
            "kafka.triage.main.consumer.max.poll.records=11",
            "kafka.triage.restore.consumer.max.poll.records=13",
            "kafka.triage.admin.retries=9");
    KafkaSettings settings =
        new AppConfigurations(ConfigurationLoader.load(null, Map.of(), sets)).kafka("triage");
    var clients = new KafkaClients(settings, "triage");
    var streams = new StreamsConfig(StreamService.properties(clients, folder));

    assertThat(streams.getProducerConfigs("any")).containsEntry("linger.ms", "7");
    assertThat(streams.getMainConsumerConfigs("any", "any", 0))
        .containsEntry("max.poll.records", "11")
        .containsEntry("fetch.min.bytes", "3")
        .containsEntry("client.rack", "b")
        .containsEntry("auto.offset.reset", "earliest");
    assertThat(streams.getRestoreConsumerConfigs("any")).containsEntry("max.poll.records", "13");
    assertThat(streams.getAdminConfigs("any")).containsEntry("retries", "9");
  }

  /** What Kafka's own clients are made from, by their ids. */
  private record Made(Map<String, Map<String, Object>> from) implements ClientFactory {
    private Map<String, Object> noted(Map<String, Object> properties) {
      from.put(String.valueOf(properties.get("client.id")), properties);
      return properties;
    }

    @Override
    public KafkaConsumer<String, byte[]> consumer(Map<String, Object> properties) {
      return ClientFactory.super.consumer(noted(properties));
    }

    @Override
    public KafkaProducer<String, byte[]> producer(Map<String, Object> properties) {
      return ClientFactory.super.producer(noted(properties));
    }

    @Override
    public Admin admin(Map<String, Object> properties) {
      return ClientFactory.super.admin(noted(properties));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "kafka.acks, 1, must be all",
    "kafka.producer.acks, 0, must be all",
    "kafka.runner.enable.idempotence, false, must be true",
    "kafka.isolation.level, read_uncommitted, must be read_committed",
    "kafka.triage.main.consumer.auto.offset.reset, latest, must be earliest",
    "kafka.triage.producer.acks, 1, must be all",
    "kafka.console.group.id, mine, cannot be set",
    "kafka.triage.application.id, mine, cannot be set",
    "kafka.producer.transactional.id, mine, cannot be set",
    "kafka.partitioner.class, x.Y, cannot be set",
    "kafka.triage.processing.guarantee, at_least_once, must be exactly_once_v2",
    "kafka.triage.replication.factor, 1, set topics.replication",
  })
  void aPropertyThatAPromiseDependsOnIsRejectedWithTheFix(String key, String value, String what) {
    assertThat(rejected(Map.of(), List.of(key + "=" + value)))
        .singleElement()
        .asString()
        .startsWith("--set: " + key + " ")
        .contains(what)
        .endsWith("; remove it")
        .doesNotContain("\n");
  }

  @Test
  void aFixedPropertyMayBeWrittenWithItsValue() {
    Configuration loaded =
        ConfigurationLoader.load(
            null,
            Map.of(),
            List.of("kafka.acks=all", "kafka.runner.isolation.level=read_committed"));

    assertThat(loaded.kafka("runner")).containsEntry("acks", "all");
  }

  @Test
  void aSecretCanComeFromAFileThatAVariableNames() {
    Map<String, String> environment =
        Map.of(
            "FLYBALL_KAFKA_RUNNER_SASL_JAAS_CONFIG_FILE",
            folder.resolve("login").toString(),
            "FLYBALL_KAFKA_SSL_KEY_PASSWORD",
            "in-the-variable",
            // Kafka's own property of this name is not a secret but a path.
            "FLYBALL_KAFKA_SASL_OAUTHBEARER_ASSERTION_PRIVATE_KEY_FILE",
            "/path");

    Configuration loaded = ConfigurationLoader.load(null, environment, List.of());

    assertThat(loaded.kafka("runner"))
        .containsEntry("sasl.jaas.config", SecuredKafka.login("me"))
        .containsEntry("sasl.oauthbearer.assertion.private.key.file", "/path");
    assertThat(loaded.kafka("triage"))
        .doesNotContainKey("sasl.jaas.config")
        .containsEntry("ssl.key.password", "in-the-variable");
    assertThat(loaded.rows().toString())
        .doesNotContain("me-secret")
        .doesNotContain("in-the-variable");
  }

  @Test
  void aSecretFileThatCannotBeReadIsOneLineWithTheFix() throws IOException {
    Path empty = Files.writeString(folder.resolve("empty"), "\n");
    Path missing = folder.resolve("missing");

    assertThat(
            rejected(
                Map.of(),
                List.of(
                    "kafka.ssl.key.password-file=" + missing,
                    "kafka.ssl.truststore.password-file=" + empty,
                    "kafka.client.rack-file=" + empty)))
        .hasSize(3)
        .satisfiesExactly(
            line -> assertThat(line).contains("cannot read " + missing).contains("name a readable"),
            line -> assertThat(line).contains(empty + " is empty"),
            line -> assertThat(line).contains("write kafka.client.rack with the value itself"));
  }

  private static List<String> rejected(Map<String, String> environment, List<String> sets) {
    var error =
        catchThrowableOfType(
            ConfigurationError.class, () -> ConfigurationLoader.load(null, environment, sets));
    return error.lines();
  }
}
