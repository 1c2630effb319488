package dev.flyball.runner.agent;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.runner.prompt.Codebase;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** One agent program: its command line, its prompt, and the reader of its output. */
public interface AgentAdapter {

  /** The agent's name in events and analyses, for example {@code scout}. */
  String label();

  /**
   * Program and arguments; never the prompt.
   *
   * @param session the runner's id of the session, for agents that accept an id
   */
  List<String> command(String session);

  /**
   * What goes to its standard input.
   *
   * @param codebase what is known of the repository; reading it may start a listing
   */
  String prompt(ItemKey item, SessionRequest request, Supplier<Codebase> codebase);

  /** Names of environment variables that it inherits besides the fixed ones, if they are set. */
  List<String> env();

  /** Variables that it gets with these values, unless {@code sessions.env} names them. */
  default Map<String, String> sets() {
    return Map.of();
  }

  /**
   * Whether it is identified as soon as it is started, because its output never names a session.
   */
  boolean identifiedAtSpawn();

  /** Whether INT ends a turn cleanly, so that the kill ladder begins with it. */
  boolean endsTurnOnInterrupt();

  /** Whether its sessions cost money, so that a claim reserves an amount. */
  boolean paid();

  /** Creates a reader for one session. */
  AgentReader reader();
}
