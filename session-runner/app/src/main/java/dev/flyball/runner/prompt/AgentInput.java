package dev.flyball.runner.prompt;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.SessionRequest;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What an agent reads on its standard input. */
public interface AgentInput {
  /**
   * Writes it for a request.
   *
   * @param codebase a summary of the repository, made once for many sessions so that none has to
   *     list it; empty where nothing is known; reading it may start a listing
   */
  String of(ItemKey item, SessionRequest request, Supplier<String> codebase);

  /** The name and version of the prompt's template; null for an agent that reads no prompt. */
  default @Nullable String prompt() {
    return null;
  }
}
