package dev.flyball.runner.agent;

import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.session.AgentSession;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.contract.session.TokenCount;
import dev.flyball.runner.agent.AgentReader.Reported;
import dev.flyball.runner.agent.AgentSignal.Usage;
import dev.flyball.runner.prompt.Codebase;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Pattern;
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
 * @param readers creates a reader for one session; it takes what the agent's session had used
 *     before, for agents that report totals
 */
public record Agent(
    String label,
    List<String> program,
    List<String> env,
    Map<String, String> sets,
    Input input,
    Function<TokenCount, AgentReader> readers,
    Set<Trait> traits) {

  /** Stands for the runner's id of the session, for agents that accept an id. */
  static final String SESSION = "{session}";

  /** What an agent may name a session; a name that begins with a dash would be an option. */
  private static final Pattern RESUMABLE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");

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
    PRICED,
    /** It keeps its sessions on disk and can go on with one. */
    RESUMES
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

  /**
   * Program and arguments for a session that goes on with an earlier one. Where its arguments name
   * a new session's id, they name the earlier one's instead; else {@code resume ID} comes before
   * the argument by which it reads its standard input.
   *
   * @param earlier the agent's own id of that session
   */
  public List<String> resuming(String earlier) {
    var all = new ArrayList<>(program);
    int own = all.indexOf(SESSION);
    if (own > 0) {
      all.set(own - 1, "--resume");
      all.set(own, earlier);
    } else {
      all.addAll(all.size() - 1, List.of("resume", earlier));
    }
    return all;
  }

  /** Whether it can go on with this session of an agent. */
  public boolean resumes(AgentSession earlier) {
    return is(Trait.RESUMES)
        && label.equals(earlier.agent())
        && RESUMABLE.matcher(earlier.id()).matches();
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
    Function<TokenCount, AgentReader> priced =
        before -> new PricedReader(readers.apply(before), prices);
    return new Agent(label, program, env, sets, input, priced, all);
  }

  /** Creates a reader for one fresh session. */
  public AgentReader reader() {
    return reader(TokenCount.NONE);
  }

  /**
   * Creates a reader for one session.
   *
   * @param before what the sessions used that it goes on with
   */
  public AgentReader reader(TokenCount before) {
    return readers.apply(before);
  }

  /**
   * What is booked for one of its sessions. One that did not report its cost is booked with its
   * whole reserve, so that unreported spend breaks no budget. This holds for a session that used
   * tokens without a price, and for one that ended before it had reported everything, however it
   * ended.
   *
   * @param reserve what the session may cost, in micro-dollars
   * @param bySelf whether the program exited by itself: one that was ended may have begun unseen
   */
  public Usage booked(Usage used, long reserve, Reported reported, boolean bySelf) {
    boolean priced = used.costMicros() > 0 || used.tokens() == 0 || is(Trait.PRICED);
    boolean all =
        switch (reported) {
          case ALL -> priced;
          case IN_PART -> false;
          case NO_TURN -> priced && bySelf;
        };
    return all ? used : used.costing(Math.max(used.costMicros(), reserve));
  }

  /** Whether it has a trait. */
  public boolean is(Trait trait) {
    return traits.contains(trait);
  }

  /** Gives the tokens of an agent that reports no cost their configured prices. */
  private static final class PricedReader implements AgentReader {
    private final AgentReader reader;
    private final TokenPrices prices;

    PricedReader(AgentReader reader, TokenPrices prices) {
      this.reader = reader;
      this.prices = prices;
    }

    @Override
    public List<AgentSignal> line(String line) {
      return reader.line(line).stream().map(this::priced).toList();
    }

    @Override
    public AgentAnswer end(Exit exit, String stderrTail) {
      return reader.end(exit, stderrTail);
    }

    @Override
    public AgentAnswer soFar() {
      return reader.soFar();
    }

    @Override
    public AgentAnswer afterSilence() {
      return reader.afterSilence();
    }

    @Override
    public Reported reported() {
      return reader.reported();
    }

    /** A cost that the agent reports after all is its own, and stays. */
    private AgentSignal priced(AgentSignal signal) {
      return signal instanceof Usage usage && usage.costMicros() == 0
          ? prices.applied(usage)
          : signal;
    }
  }
}
