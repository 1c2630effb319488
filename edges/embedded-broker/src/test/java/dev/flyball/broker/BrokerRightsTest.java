package dev.flyball.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.security.auth.KafkaPrincipal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BrokerRightsTest {
  private static final Set<AclOperation> READING =
      Set.of(AclOperation.READ, AclOperation.DESCRIBE, AclOperation.DESCRIBE_CONFIGS);

  @ParameterizedTest
  @EnumSource(AclOperation.class)
  void everyoneReadsTopicsAndOnlyReadsThem(AclOperation operation) {
    assertThat(stranger(operation, ResourceType.TOPIC, "flyball.session-ledger"))
        .isEqualTo(READING.contains(operation));
  }

  @ParameterizedTest
  @EnumSource(
      value = ResourceType.class,
      mode = EnumSource.Mode.EXCLUDE,
      names = {"TOPIC", "GROUP", "ANY", "UNKNOWN"})
  void aStrangerHasNoRightOnAnythingElse(ResourceType type) {
    for (AclOperation operation : AclOperation.values()) {
      assertThat(stranger(operation, type, "x")).as("%s", operation).isFalse();
    }
  }

  @Test
  void aStrangerHasGroupsOfReadersOnly() {
    assertThat(stranger(AclOperation.READ, ResourceType.GROUP, "kcat-1")).isTrue();
    assertThat(stranger(AclOperation.READ, ResourceType.GROUP, "flyball-triage")).isFalse();
    assertThat(stranger(AclOperation.DELETE, ResourceType.GROUP, "kcat-1")).isFalse();
  }

  @Test
  void theSecretsUserDoesEverythingAndItsNameUnderAnotherTypeNothing() {
    var ledger = new ResourcePattern(ResourceType.TOPIC, "ledger", PatternType.LITERAL);
    var owner = new KafkaPrincipal("User", "flyball");
    var group = new KafkaPrincipal("Group", "flyball");

    assertThat(BrokerRights.allows(owner, AclOperation.WRITE, ledger)).isTrue();
    assertThat(BrokerRights.allows(group, AclOperation.WRITE, ledger)).isFalse();
  }

  private static boolean stranger(AclOperation operation, ResourceType type, String name) {
    return BrokerRights.allows(
        KafkaPrincipal.ANONYMOUS, operation, new ResourcePattern(type, name, PatternType.LITERAL));
  }
}
