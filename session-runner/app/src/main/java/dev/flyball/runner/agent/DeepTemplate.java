package dev.flyball.runner.agent;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.text.PromptTemplate;
import dev.flyball.runner.prompt.Codebase;
import dev.flyball.runner.prompt.DeepPrompt;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** What agents of deep sessions read: the bundled template or an operator's, with its values. */
public record DeepTemplate(PromptTemplate template) implements Agent.Input {

  /** The bundled template. */
  public static final DeepTemplate BUNDLED =
      new DeepTemplate(
          PromptTemplate.bundled(DeepTemplate.class, "/prompts/deep.md", DeepPrompt.VARIABLES));

  @Override
  public String of(ItemKey item, SessionRequest request, Supplier<Codebase> codebase) {
    return DeepPrompt.of(template, item, request, codebase.get(), RandomGenerator.getDefault())
        .text();
  }

  @Override
  public String prompt() {
    return template.version();
  }
}
