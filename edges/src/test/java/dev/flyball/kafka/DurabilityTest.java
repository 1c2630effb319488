package dev.flyball.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.topic.TopicSpec;
import dev.flyball.contract.topic.Topics;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** design.md section 3, durability. */
class DurabilityTest {
  private final TopicSpec ledger = Topics.DEFAULT.spec(Topics.DEFAULT.sessionLedger());
  private final TopicSpec events = Topics.DEFAULT.spec(Topics.DEFAULT.sessionEvents());

  @Test
  void oneReplicaFlushesEveryMessageOfTheLedger() {
    assertThat(TopicProvisioner.required(ledger, 1))
        .containsExactly(Map.entry("flush.messages", "1"));
    assertThat(TopicProvisioner.required(events, 1)).isEmpty();
  }

  @Test
  void threeReplicasNeedTwoInSyncAndNoUncleanElection() {
    assertThat(TopicProvisioner.required(ledger, 3))
        .containsOnly(
            Map.entry("min.insync.replicas", "2"),
            Map.entry("unclean.leader.election.enable", "false"));
  }

  @Test
  void moreInSyncReplicasThanNeededAreFine() {
    assertThat(TopicProvisioner.satisfies("min.insync.replicas", "3", "2")).isTrue();
    assertThat(TopicProvisioner.satisfies("min.insync.replicas", "1", "2")).isFalse();
    assertThat(TopicProvisioner.satisfies("cleanup.policy", "compact,delete", "compact")).isFalse();
  }
}
