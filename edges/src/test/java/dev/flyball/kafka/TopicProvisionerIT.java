package dev.flyball.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.contract.topic.TopicSpec;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.ConfigResource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** design.md section 2: topics are created when missing, verified when present. */
class TopicProvisionerIT {
  private final KafkaClients clients = TestCluster.clients();

  @Test
  void makesEveryTopicAndFindsThemRightTheSecondTime() {
    new TopicProvisioner(clients).provision();
    assertThatCode(() -> new TopicProvisioner(clients).provision()).doesNotThrowAnyException();
    try (Admin admin = clients.admin("look")) {
      assertThat(TestCluster.get(admin.listTopics().names()))
          .containsAll(clients.topics().specs().stream().map(TopicSpec::name).toList());
      Config ledger =
          Objects.requireNonNull(
              TestCluster.get(admin.describeConfigs(List.of(resource())).all()).get(resource()));
      assertThat(ledger.get("flush.messages").value()).isEqualTo("1");
      assertThat(ledger.get("message.timestamp.type").value()).isEqualTo("LogAppendTime");
    }
  }

  @Test
  void twoAppsMayProvisionAtOnce() {
    List<CompletableFuture<Void>> both =
        Stream.generate(() -> CompletableFuture.runAsync(new TopicProvisioner(clients)::provision))
            .limit(3)
            .toList();
    assertThatCode(() -> both.forEach(CompletableFuture::join)).doesNotThrowAnyException();
  }

  @Test
  void namesTheTopicWithTheWrongNumberOfPartitions() {
    try (Admin admin = clients.admin("wrong")) {
      var two = new NewTopic(clients.topics().workItems(), 2, (short) 1);
      TestCluster.get(admin.createTopics(List.of(two)).all());
    }
    assertThatThrownBy(new TopicProvisioner(clients)::provision)
        .isInstanceOf(KafkaFailure.class)
        .hasMessageContaining(
            "topic " + clients.topics().workItems() + ": partitions is 2 and must be 6")
        .hasMessageContaining("--partitions 6")
        .hasMessageNotContaining("\n");
  }

  @Test
  void makesNoTopicOnFewerBrokersThanConfigured() {
    assertThatThrownBy(new TopicProvisioner(onTwoBrokers())::provision)
        .isInstanceOf(BrokerUnreachable.class)
        .hasMessageContaining("topics.replication");
    try (Admin admin = clients.admin("look")) {
      assertThat(TestCluster.get(admin.listTopics().names()))
          .doesNotContain(clients.topics().sessionLedger());
    }
  }

  @Test
  void namesATopicThatHasFewerReplicasThanConfigured() {
    new TopicProvisioner(clients).provision();

    assertThatThrownBy(new TopicProvisioner(onTwoBrokers())::provision)
        .isInstanceOf(KafkaFailure.class)
        .hasMessageContaining("replicas is 1")
        .hasMessageContaining("topics.replication");
  }

  /** Clients that are configured for more brokers than there are. */
  private KafkaClients onTwoBrokers() {
    KafkaSettings settings = clients.settings();
    return new KafkaClients(
        new KafkaSettings(settings.topics(), settings.properties(), 2), clients.role());
  }

  @Test
  void namesTheWrongSettingAndItsFix() {
    new TopicProvisioner(clients).provision();
    try (Admin admin = clients.admin("wrong")) {
      var shorter =
          new AlterConfigOp(new ConfigEntry("retention.ms", "60000"), AlterConfigOp.OpType.SET);
      TestCluster.get(admin.incrementalAlterConfigs(Map.of(resource(), List.of(shorter))).all());
    }
    Awaitility.await()
        .untilAsserted(() ->
            assertThatThrownBy(new TopicProvisioner(clients)::provision)
                .isInstanceOf(KafkaFailure.class)
                .hasMessageContaining(
                    "topic "
                        + clients.topics().sessionLedger()
                        + ": retention.ms is 60000 and must be -1")
                .hasMessageContaining("--add-config retention.ms=-1"));
  }

  private ConfigResource resource() {
    return new ConfigResource(ConfigResource.Type.TOPIC, clients.topics().sessionLedger());
  }
}
