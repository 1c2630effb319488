package dev.flyball.runner.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.text.PromptTemplate;
import dev.flyball.runner.prompt.Codebase;
import dev.flyball.runner.prompt.DeepPrompt;
import dev.flyball.runner.prompt.Search;
import dev.flyball.testkit.Sample;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The template of deep sessions")
class DeepTemplateTest {

  @Test
  @DisplayName("an operator's file replaces the prompt of every agent that reads one")
  void aFileReplacesThePrompt() {
    String text = "template: mine/1\nOURS\n{{item}}\n{{answer}}\n";
    var mine =
        new DeepTemplate(PromptTemplate.parse("f.md", text, DeepPrompt.VARIABLES), Search.BOUNDED);
    var request = Sample.request("r", Instant.EPOCH, Sample.snapshot("Title", "{{answer}} text"));
    ItemKey item = ItemKey.parse("acme/web/1");

    Agent agent = AgentCatalogue.command("/bin/agent");
    assertThat(agent.input().prompt()).isEqualTo("deep/4");
    Agent.Input input = agent.prompted(mine).input();
    assertThat(input.prompt()).isEqualTo("mine/1");
    assertThat(input.of(item, request, () -> Codebase.UNKNOWN))
        .startsWith("OURS")
        .contains("{{answer}} text");

    Agent scout = AgentCatalogue.scout(List.of());
    assertThat(scout.prompted(mine)).isEqualTo(scout);
    assertThat(scout.input().prompt()).isNull();
  }
}
