package dev.flyball.runner.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.runner.prompt.Codebase;
import dev.flyball.testkit.Sample;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("The template of deep sessions")
class DeepTemplateTest {

  @Test
  @DisplayName("an operator's file is named with the beginning of its hash")
  void aFileIsNamedByItsContent(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("mine.md");
    Files.writeString(file, "template: mine/1\n{{item}}\n{{answer}}\n");
    DeepTemplate first = DeepTemplate.file(file);
    Files.writeString(file, "template: mine/1\nShort.\n{{item}}\n{{answer}}\n");

    assertThat(first.name()).matches("mine/1\\+[0-9a-f]{8}");
    assertThat(DeepTemplate.file(file).name()).isNotEqualTo(first.name());
    assertThat(DeepTemplate.BUNDLED.name()).isEqualTo("deep/3");
  }

  @Test
  @DisplayName("an operator's file replaces the prompt of every agent that reads one")
  void aFileReplacesThePrompt(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("mine.md");
    Files.writeString(file, "template: mine/1\nOURS\n{{item}}\n{{answer}}\n");
    DeepTemplate mine = DeepTemplate.file(file);
    var request = Sample.request("r", Instant.EPOCH, Sample.snapshot("Title", "{{answer}} text"));
    ItemKey item = ItemKey.parse("acme/web/1");

    Agent agent = AgentCatalogue.command("/bin/agent");
    assertThat(agent.input().prompt()).isEqualTo("deep/3");
    Agent.Input input = agent.prompted(mine).input();
    assertThat(input.prompt()).isEqualTo(mine.name());
    assertThat(input.of(item, request, () -> Codebase.UNKNOWN))
        .startsWith("OURS")
        .contains("{{answer}} text");

    Agent scout = AgentCatalogue.scout(List.of());
    assertThat(scout.prompted(mine)).isEqualTo(scout);
    assertThat(scout.input().prompt()).isNull();
  }
}
