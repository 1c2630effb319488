package dev.flyball.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.ElectionType;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.LongDeserializer;
import org.apache.kafka.common.serialization.LongSerializer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client without the secret reads topics and does nothing else, on whatever port it asks. */
@Tag("long")
class GuardedBrokerIT {
  private static final TopicPartition NUMBERS = new TopicPartition(Numbers.TOPIC, 0);

  /** One for all strangers: none of them changes anything. */
  @AutoClose private static EmbeddedBroker broker;

  private static Map<String, String> stranger;

  @TempDir Path dir;

  @BeforeAll
  static void start(@TempDir Path shared) {
    broker = EmbeddedBroker.start(BrokerConfig.in(shared));
    Numbers.createTopic(broker.clientProperties());
    Numbers.produce(broker.clientProperties(), 0, 10);
    stranger = Map.of("bootstrap.servers", broker.bootstrapServers());
  }

  // MC-8
  @Test
  void aStrangerReadsWithoutAGroupAndWithAReadersGroup() throws Exception {
    assertThat(Numbers.readAll(stranger)).hasSize(10);
    try (var reader = member("console-consumer-1")) {
      reader.subscribe(List.of(Numbers.TOPIC));
      assertThat(readSome(reader)).isNotEmpty();
    }
    try (var admin = admin(stranger)) {
      assertThat(admin.listTopics().names().get()).contains(Numbers.TOPIC);
    }
  }

  @Test
  void aStrangerChangesNothing() throws Exception {
    try (var admin = admin(stranger)) {
      var topic = new ConfigResource(ConfigResource.Type.TOPIC, Numbers.TOPIC);
      var shorter =
          new AlterConfigOp(new ConfigEntry("retention.ms", "1"), AlterConfigOp.OpType.SET);
      var everything =
          new AclBinding(
              new ResourcePattern(ResourceType.CLUSTER, "kafka-cluster", PatternType.LITERAL),
              new AccessControlEntry(
                  "User:ANONYMOUS", "*", AclOperation.ALL, AclPermissionType.ALLOW));
      var offset = Map.of(NUMBERS, new OffsetAndMetadata(3));
      Stream.<Callable<?>>of(
              () -> admin.createTopics(List.of(new NewTopic("mine", 1, (short) 1))).all().get(),
              () -> admin.deleteTopics(List.of(Numbers.TOPIC)).all().get(),
              () ->
                  admin
                      .createPartitions(Map.of(Numbers.TOPIC, NewPartitions.increaseTo(2)))
                      .all()
                      .get(),
              () ->
                  admin.deleteRecords(Map.of(NUMBERS, RecordsToDelete.beforeOffset(5))).all().get(),
              () -> admin.incrementalAlterConfigs(Map.of(topic, List.of(shorter))).all().get(),
              () -> admin.alterConsumerGroupOffsets("flyball-triage", offset).all().get(),
              () -> admin.deleteConsumerGroups(List.of("flyball-triage")).all().get(),
              () -> admin.fenceProducers(List.of("flyball-triage-1")).all().get(),
              () -> admin.electLeaders(ElectionType.UNCLEAN, Set.of(NUMBERS)).all().get(),
              () -> admin.createAcls(List.of(everything)).all().get(),
              () -> admin.unregisterBroker(BrokerProperties.NODE_ID).all().get())
          .forEach(change ->
              assertThatThrownBy(change::call)
                  .isInstanceOf(ExecutionException.class)
                  .hasCauseInstanceOf(AuthorizationException.class));
    }
    assertThat(Numbers.readAll(broker.clientProperties())).hasSize(10);
  }

  @Test
  void aStrangerWritesNoRecordAndBeginsNoTransaction() {
    try (var producer = producer(Map.of("enable.idempotence", "false"))) {
      assertThatThrownBy(() -> producer.send(new ProducerRecord<>(Numbers.TOPIC, 1L, 1L)).get())
          .hasCauseInstanceOf(AuthorizationException.class);
    }
    try (var producer = producer(Map.of("transactional.id", "flyball-triage-1"))) {
      assertThatThrownBy(producer::initTransactions).isInstanceOf(AuthorizationException.class);
    }
    assertThat(Numbers.readAll(stranger)).hasSize(10);
  }

  @Test
  void aStrangerJoinsNoGroupOfOurs() {
    try (var member = member("flyball-triage")) {
      member.subscribe(List.of(Numbers.TOPIC));
      assertThatThrownBy(() -> readSome(member)).isInstanceOf(AuthorizationException.class);
    }
  }

  @Test
  void theControllerAnswersNoStranger() {
    String controller = BrokerConfig.LOOPBACK + ":" + broker.controllerPort();
    try (var admin = admin(Map.of("bootstrap.controllers", controller))) {
      assertThatThrownBy(() -> admin.describeCluster().nodes().get())
          .hasCauseInstanceOf(TimeoutException.class);
    }
    var guessed =
        Numbers.with(broker.clientProperties(), Map.of("bootstrap.controllers", controller));
    guessed.remove("bootstrap.servers");
    guessed.computeIfPresent(
        "sasl.jaas.config", (name, jaas) -> jaas.toString().replaceAll("[0-9a-f]{64}", "guess"));
    try (var admin = Admin.create(guessed)) {
      assertThatThrownBy(() -> admin.unregisterBroker(BrokerProperties.NODE_ID).all().get())
          .hasCauseInstanceOf(SaslAuthenticationException.class);
    }
  }

  @Test
  void theSecretIsTheOwnersAndOutlivesAStop() throws Exception {
    Path file = dir.resolve("clients.properties");
    Map<String, String> before;
    try (var first = EmbeddedBroker.start(BrokerConfig.in(dir))) {
      before = BrokerSecret.clientProperties(dir).orElseThrow();
      assertThat(before).isEqualTo(first.clientProperties());
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
          .isEqualTo("rw-------");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(dir)))
          .isEqualTo("rwx------");
      Numbers.createTopic(first.clientProperties());
      Numbers.produce(first.clientProperties(), 0, 10);
    }
    try (var second = EmbeddedBroker.start(BrokerConfig.in(dir))) {
      assertThat(second.clientProperties())
          .containsEntry("sasl.jaas.config", before.get("sasl.jaas.config"));
      Numbers.produce(second.clientProperties(), 10, 20);
      assertThat(Numbers.readAll(Map.of("bootstrap.servers", second.bootstrapServers())))
          .hasSize(20);
    }
  }

  private static Admin admin(Map<String, String> client) {
    return Admin.create(
        Numbers.with(
            client, Map.of("default.api.timeout.ms", "3000", "request.timeout.ms", "3000")));
  }

  private KafkaProducer<Long, Long> producer(Map<String, String> more) {
    return new KafkaProducer<>(
        Numbers.with(stranger, more), new LongSerializer(), new LongSerializer());
  }

  private KafkaConsumer<Long, Long> member(String group) {
    return new KafkaConsumer<>(
        Numbers.with(stranger, Map.of("group.id", group, "auto.offset.reset", "earliest")),
        new LongDeserializer(),
        new LongDeserializer());
  }

  private static Collection<Object> readSome(KafkaConsumer<Long, Long> reader) {
    long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
    var found = new java.util.ArrayList<Object>();
    while (found.isEmpty() && System.nanoTime() < end) {
      reader.poll(Duration.ofMillis(200)).forEach(found::add);
    }
    return found;
  }
}
