package dev.flyball.runner.agent;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.runner.prompt.Codebase;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

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

  /** The last argument of a program that reads its prompt on standard input only if it is named. */
  private static final String STANDARD_INPUT = "-";

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
    ENDS_TURN_ON_INTERRUPT,
    /**
     * Its cost is counted from the tokens that it reports. Until it has answered, it may have used
     * more.
     */
    PRICED
  }

  /** What an agent reads on its standard input. */
  public interface Input {
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

  /** Program and arguments for a session. */
  public List<String> command(String session) {
    return program.stream().map(each -> each.equals(SESSION) ? session : each).toList();
  }

  /** This agent with further arguments, before the one by which it reads its standard input. */
  Agent withArguments(List<String> further) {
    var all = new ArrayList<>(program);
    boolean dash = all.size() > 1 && all.getLast().equals(STANDARD_INPUT);
    all.addAll(dash ? all.size() - 1 : all.size(), further);
    return new Agent(label, all, env, sets, input, readers, traits);
  }

  /** This agent with another prompt, if it reads one. */
  public Agent prompted(DeepTemplate prompt) {
    return input instanceof DeepTemplate
        ? new Agent(label, program, env, sets, prompt, readers, traits)
        : this;
  }

  /** This agent, which reports no cost, with prices for the tokens that it reports. */
  Agent priced(TokenPrices prices) {
    var all = EnumSet.of(Trait.PRICED);
    all.addAll(traits);
    all.remove(Trait.PAID);
    if (!prices.free()) {
      all.add(Trait.PAID);
    }
    Supplier<AgentReader> priced = () -> new PricedReader(readers.get(), prices);
    return new Agent(label, program, env, sets, input, priced, all);
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
