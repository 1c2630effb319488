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
   * @param codebase what is known of the repository; reading it may start a listing
   */
  String of(ItemKey item, SessionRequest request, Supplier<Codebase> codebase);

  /** The name and version of the prompt's template; null for an agent that reads no prompt. */
  default @Nullable String prompt() {
    return null;
  }
}
