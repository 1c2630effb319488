package dev.flyball.runner.agent;

import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.contract.session.AgentSession;
import dev.flyball.contract.session.TokenCount;
import dev.flyball.runner.agent.AgentProfile.TokenPrices;
import dev.flyball.runner.agent.AgentSignal.Usage;
import dev.flyball.runner.prompt.AgentInput;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An agent as it is started: its command line, its variables and how its output is read.
 *
 * @param label its name in events and analyses, for example {@code scout}
 * @param program program and arguments, never the prompt; {@link #SESSION} stands for the session
 * @param input writes what goes to its standard input
 * @param readers create the reader of one session, by what the sessions used before that it goes on
 *     with: an agent may report totals
 * @param resume what its command becomes, with {@link #SESSION} where it names a session, to go on
 *     with the session of which this is the agent's own id; null if it cannot
 * @param prices what its tokens cost; null for an agent that reports its cost
 */
public record Agent(
    String label,
    List<String> program,
    Variables variables,
    AgentInput input,
    Function<TokenCount, Reader> readers,
    Set<Trait> traits,
    @Nullable BiFunction<List<String>, String, List<String>> resume,
    @Nullable TokenPrices prices) {

  /** Stands for the runner's id of the session, for agents that accept an id. */
  static final String SESSION = "{session}";

  /** What an agent may name a session; a name that begins with a dash would be an option. */
  private static final Pattern RESUMABLE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");

  /** How long an agent may take to end its turn. */
  private static final Duration INTERRUPT = Duration.ofSeconds(2);

  /** The last argument of a program that reads its prompt on standard input only if it is named. */
  static final String STANDARD_INPUT = "-";

  public Agent {
    program = List.copyOf(program);
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
    /** It gets the schema of its answer otherwise than as a part of its prompt. */
    TAKES_SCHEMA
  }

  /** Turns one session's output into signals. Called by one thread at a time. */
  public interface Reader {
    /** Takes one line of standard output, without its line end; returns its signals, often none. */
    List<AgentSignal> line(String line);

    /**
     * Returns the agent's answer; called once after its end.
     *
     * @param stderrTail the last part of its standard error
     */
    AgentAnswer end(Exit exit, String stderrTail);

    /**
     * What it has answered until now, for a session that is ended from outside. It is complete if
     * the agent has reported its result, else broken with the text so far.
     *
     * @param silent whether it is ended because it has been silent for long
     */
    AgentAnswer soFar(boolean silent);

    /** How far the agent has reported what it used. */
    Reported reported();
  }

  /** How far an agent has reported what it used. */
  public enum Reported {
    /** It began no turn, so it has used nothing. */
    NO_TURN,
    /** A turn began, and what it used is not known, or not all of it. */
    IN_PART,
    /** It reported all of it, or its provider rejected its only request. */
    ALL
  }

  /**
   * The environment variables of an agent. It is an allow-list, because the rest may hold secrets.
   *
   * @param secret names of variables that it inherits and whose values must not appear in its
   *     output
   * @param plain names of variables that it inherits and that hold an address or a path: redacting
   *     them would only make an answer unreadable
   * @param sets variables that it gets with these values, unless {@code sessions.env} names them
   */
  public record Variables(Set<String> secret, Set<String> plain, Map<String, String> sets) {
    /** No variables besides those that every agent has. */
    public static final Variables NONE = new Variables(Set.of(), Set.of(), Map.of());

    private static final Set<String> ALWAYS =
        Set.of("PATH", "HOME", "USER", "LANG", "TZ", "TMPDIR");

    /** What a program needs to reach its provider through a proxy, whose address has a password. */
    private static final Set<String> PROXIES =
        Set.of("HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy");

    private static final Set<String> NETWORK =
        Set.of("NO_PROXY", "no_proxy", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE");

    public Variables {
      secret = Set.copyOf(secret);
      plain = Set.copyOf(plain);
      sets = Map.copyOf(sets);
    }

    /** Those of a program that calls a provider, which may be behind a proxy. */
    static Variables ofProvider(Set<String> secret, Set<String> plain, Map<String, String> sets) {
      return new Variables(union(secret, PROXIES), union(plain, NETWORK), sets);
    }

    private static Set<String> union(Set<String> one, Set<String> other) {
      return Stream.of(one, other).flatMap(Set::stream).collect(Collectors.toSet());
    }
  }

  /**
   * Its environment: what it sets, overridden by the variables of this process that it inherits.
   *
   * @param all the environment of this process
   * @param further names of further variables that it inherits
   */
  public Map<String, String> environment(Map<String, String> all, Collection<String> further) {
    var allowed = new TreeMap<>(variables.sets());
    all.forEach((name, value) -> {
      if (Variables.ALWAYS.contains(name)
          || name.startsWith("LC_")
          || variables.secret().contains(name)
          || variables.plain().contains(name)
          || further.contains(name)) {
        allowed.put(name, value);
      }
    });
    return allowed;
  }

  /** What must never appear in its output: values that it inherits, or named like a secret. */
  public List<String> secrets(Map<String, String> all, Collection<String> further) {
    return all.entrySet().stream()
        .filter(each ->
            further.contains(each.getKey())
                || variables.secret().contains(each.getKey())
                || each.getKey().matches(".*(TOKEN|SECRET|PASSWORD|API_KEY).*"))
        .map(Map.Entry::getValue)
        .toList();
  }

  /** Program and arguments for a session. */
  public List<String> command(String session) {
    return program.stream().map(each -> each.equals(SESSION) ? session : each).toList();
  }

  /**
   * Program and arguments for a session that goes on with an earlier one; the agent {@link
   * #resumes} it.
   *
   * @param earlier the agent's own id of that session
   */
  public List<String> resuming(String earlier) {
    return Objects.requireNonNull(resume).apply(program, earlier);
  }

  /** Whether it keeps its sessions and can go on with one. */
  public boolean resumes() {
    return resume != null;
  }

  /** Whether it can go on with this session of an agent. */
  public boolean resumes(AgentSession earlier) {
    return resumes() && label.equals(earlier.agent()) && RESUMABLE.matcher(earlier.id()).matches();
  }

  /** This agent with further arguments, before the one by which it reads its standard input. */
  Agent withArguments(List<String> further) {
    return with(inserted(program, further), traits);
  }

  /** A command with further arguments, before the one by which it reads its standard input. */
  static List<String> inserted(List<String> command, List<String> further) {
    var all = new ArrayList<>(command);
    boolean dash = all.size() > 1 && all.getLast().equals(STANDARD_INPUT);
    all.addAll(dash ? all.size() - 1 : all.size(), further);
    return all;
  }

  /** This agent, which reports no cost, with prices for the tokens that it reports. */
  Agent priced(TokenPrices ofTokens) {
    var all = new HashSet<>(traits);
    all.remove(Trait.PAID);
    if (!ofTokens.free()) {
      all.add(Trait.PAID);
    }
    return new Agent(label, program, variables, input, readers, all, resume, ofTokens);
  }

  /** What it signals, with the price of its tokens; a cost that it reports after all is its own. */
  AgentSignal priced(AgentSignal signal) {
    return prices != null && signal instanceof Usage used && used.costMicros() == 0
        ? prices.applied(used)
        : signal;
  }

  /** The same with another command and traits. */
  Agent with(List<String> command, Set<Trait> distinguished) {
    return new Agent(label, command, variables, input, readers, distinguished, resume, prices);
  }

  /** Creates a reader for one fresh session. */
  public Reader reader() {
    return readers.apply(TokenCount.NONE);
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
    boolean priced = used.costMicros() > 0 || used.tokens() == 0 || prices != null;
    boolean all =
        switch (reported) {
          case ALL -> priced;
          case IN_PART -> false;
          case NO_TURN -> priced && bySelf;
        };
    return all ? used : used.costing(Math.max(used.costMicros(), reserve));
  }

  /** The steps that end its tree; INT first where that lets it report what was spent. */
  public KillLadder ladder(Duration terminate, Duration verify) {
    return new KillLadder(
        is(Trait.ENDS_TURN_ON_INTERRUPT) ? INTERRUPT : Duration.ZERO, terminate, verify);
  }

  /** Whether it has a trait. */
  public boolean is(Trait trait) {
    return traits.contains(trait);
  }
}
