package dev.flyball.program.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.topic.TopicSpec;
import dev.flyball.contract.topic.Topics;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.Test;

/** The printed rights and commands. */
final class AdminToolTest {
  private static final AdminTool TOOL = new AdminTool("h:1,i:2", null);

  @Test
  void wordsWithSpecialCharactersAreQuotedForAShell() {
    assertThat(new AdminTool("h:1", "the admin's file").line("tool", List.of("--a", "b c", "d*")))
        .isEqualTo(
            "tool --bootstrap-server h:1 --command-config 'the admin'\\''s file' --a 'b c' 'd*'");
    assertThat(TOOL.line("tool", List.of())).isEqualTo("tool --bootstrap-server h:1,i:2");
  }

  @Test
  void commandsFollowThePrefixAndTheReplication() {
    var topics = new Topics("acme.");

    assertThat(TOOL.createTopics(topics, 3))
        .hasSize(topics.specs().size() + topics.streamsTopics().size())
        .contains(
            "kafka-topics.sh --bootstrap-server h:1,i:2 --create --if-not-exists --topic"
                + " acme.poll-state --partitions 1 --replication-factor 3 --config"
                + " cleanup.policy=compact --config min.insync.replicas=2 --config"
                + " unclean.leader.election.enable=false")
        .anySatisfy(line -> assertThat(line).contains("acme-triage-item-state-changelog"));
    assertThat(TOOL.grantRights(topics))
        .contains(
            rule("runner", "--operation Describe --operation DescribeConfigs --topic acme.", true),
            rule("runner", "--operation Read --topic acme.session-requests", false),
            rule("runner", "--operation Describe --group acme-triage", false),
            rule("triage", "--operation Read --group acme-triage", true),
            rule("producer", "--operation Write --transactional-id acme.producer/", true));
  }

  @Test
  void everyTopicOfARightIsOneOfTheTopics() {
    var topics = new Topics("acme.");
    List<String> names =
        Stream.concat(topics.specs().stream(), topics.streamsTopics().stream())
            .map(TopicSpec::name)
            .toList();

    assertThat(AdminTool.rights(topics).map(AclBinding::pattern))
        .filteredOn(right -> right.resourceType() == ResourceType.TOPIC)
        .allMatch(right ->
            right.patternType() == PatternType.LITERAL
                ? names.contains(right.name())
                : names.stream().anyMatch(name -> name.startsWith(right.name())));
  }

  private static String rule(String role, String words, boolean prefixed) {
    return "kafka-acls.sh --bootstrap-server h:1,i:2 --add --allow-principal User:flyball-"
        + role
        + " "
        + words
        + (prefixed ? " --resource-pattern-type prefixed" : "");
  }
}
