package dev.flyball.runner.agent;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.text.PromptTemplate;
import dev.flyball.runner.prompt.Codebase;
import dev.flyball.runner.prompt.DeepPrompt;
import dev.flyball.runner.prompt.Search;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * What agents of deep sessions read: the bundled template or an operator's, with its values.
 *
 * @param search how far they may search the repository
 */
public record DeepTemplate(PromptTemplate template, Search search) implements Agent.Input {

  /** The bundled template. */
  public static final DeepTemplate BUNDLED =
      new DeepTemplate(
          PromptTemplate.bundled(DeepTemplate.class, "/prompts/deep.md", DeepPrompt.VARIABLES),
          Search.BOUNDED);

  @Override
  public String of(ItemKey item, SessionRequest request, Supplier<Codebase> codebase) {
    return DeepPrompt.of(
            template, search, item, request, codebase.get(), RandomGenerator.getDefault())
        .text();
  }

  @Override
  public String prompt() {
    return template.version();
  }
}
