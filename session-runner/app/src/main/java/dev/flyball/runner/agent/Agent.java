package dev.flyball.runner.agent;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.runner.prompt.Codebase;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * One agent program, as data: how it is started and how its output is read. {@link AgentCatalogue}
 * lists them.
 *
 * @param label its name in events and analyses, for example {@code scout}
 * @param program program and arguments, never the prompt; {@link #SESSION} stands for the session
 * @param env names of environment variables that it inherits besides the fixed ones, if they are
 *     set
 * @param sets variables that it gets with these values, unless {@code sessions.env} names them
 * @param input writes what goes to its standard input
 * @param readers creates a reader for one session
 */
public record Agent(
    String label,
    List<String> program,
    List<String> env,
    Map<String, String> sets,
    Input input,
    Supplier<AgentReader> readers,
    Set<Trait> traits) {

  /** Stands for the runner's id of the session, for agents that accept an id. */
  static final String SESSION = "{session}";

  public Agent {
    program = List.copyOf(program);
    env = List.copyOf(env);
    sets = Map.copyOf(sets);
    traits = Set.copyOf(traits);
  }

  /** What distinguishes an agent in its session's life. */
  public enum Trait {
    /** Its sessions cost money, so a claim reserves an amount. */
    PAID,
    /** It is identified as soon as it is started, because its output never names a session. */
    IDENTIFIED_AT_SPAWN,
    /** INT ends a turn cleanly, so the kill ladder begins with it. */
    ENDS_TURN_ON_INTERRUPT
  }

  /** What an agent reads on its standard input. */
  public interface Input {
    /**
     * Writes it for a request.
     *
     * @param codebase what is known of the repository; reading it may start a listing
     */
    String of(ItemKey item, SessionRequest request, Supplier<Codebase> codebase);
  }

  /** Program and arguments for a session. */
  public List<String> command(String session) {
    return program.stream().map(each -> each.equals(SESSION) ? session : each).toList();
  }

  /** Creates a reader for one session. */
  public AgentReader reader() {
    return readers.get();
  }

  /** Whether it has a trait. */
  public boolean is(Trait trait) {
    return traits.contains(trait);
  }
}
