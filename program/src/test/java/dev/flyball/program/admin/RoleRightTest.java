package dev.flyball.program.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.topic.Topics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.apache.kafka.common.resource.PatternType;
import org.junit.jupiter.api.Test;

/** The printed rights and commands, and the page that lists them. */
final class RoleRightTest {
  private static final Path PAGE = Path.of("../docs/your-own-kafka.md");
  private static final AdminTool TOOL = new AdminTool("h:1,i:2", null);

  @Test
  void theDocumentedTableListsExactlyThePrintedRights() throws IOException {
    String table = table();
    String page = Files.readString(PAGE);
    if (System.getProperty("docs", "").equals("write")) {
      page = page.replaceFirst("(?s)\\| role \\| on \\|.*?\n(?!\\|)|RIGHTS\n", table);
      Files.writeString(PAGE, page);
    }
    assertThat(page).contains(table);
  }

  private static String table() {
    return RoleRight.all(Topics.DEFAULT).stream()
        .map(right ->
            "| %s | %s `%s`%s | %s |\n"
                .formatted(
                    right.user(),
                    right.type().name().toLowerCase(Locale.ROOT).replace('_', ' '),
                    right.name(),
                    right.pattern() == PatternType.PREFIXED ? " and what begins so" : "",
                    right.operations().stream()
                        .map(RoleRight::written)
                        .collect(Collectors.joining(", "))))
        .collect(Collectors.joining("", "| role | on | operations |\n|---|---|---|\n", ""));
  }

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

    assertThat(TopicCommands.lines(TOOL, topics, 3))
        .hasSize(topics.specs().size() + topics.streamsTopics().size())
        .contains(
            "kafka-topics.sh --bootstrap-server h:1,i:2 --create --if-not-exists --topic"
                + " acme.poll-state --partitions 1 --replication-factor 3 --config"
                + " cleanup.policy=compact --config min.insync.replicas=2 --config"
                + " unclean.leader.election.enable=false")
        .anySatisfy(line -> assertThat(line).contains("acme-triage-item-state-changelog"));
    assertThat(RoleRight.lines(TOOL, topics))
        .contains(
            "kafka-acls.sh --bootstrap-server h:1,i:2 --add --allow-principal User:flyball-runner"
                + " --operation Describe --operation DescribeConfigs --topic acme."
                + " --resource-pattern-type prefixed",
            "kafka-acls.sh --bootstrap-server h:1,i:2 --add --allow-principal"
                + " User:flyball-producer --operation Write --transactional-id acme.producer/"
                + " --resource-pattern-type prefixed");
  }
}
