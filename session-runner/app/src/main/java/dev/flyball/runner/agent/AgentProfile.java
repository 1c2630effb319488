package dev.flyball.runner.agent;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.contract.session.Route;
import dev.flyball.runner.agent.AgentProgram.AgentArguments;
import dev.flyball.runner.agent.AgentSignal.Usage;
import dev.flyball.runner.prompt.DeepPrompt;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An agent with everything that is configured for it, under the name by which requests ask for it.
 *
 * @param arguments further arguments of its program; its agent says which are accepted
 * @param env names of environment variables that it inherits besides {@code sessions.env}
 * @param tools the tools that it may use; empty for those of its adapter
 * @param prices what its tokens cost; null for an agent that reports its cost
 * @param provider scope of rate limits, caps and pauses; null for an agent without one
 */
public record AgentProfile(
    String name,
    AgentProgram agent,
    List<String> arguments,
    List<String> env,
    List<String> tools,
    @Nullable TokenPrices prices,
    @Nullable String provider,
    Bounds bounds) {

  /** The profile of requests that name none. */
  public static final String DEFAULT = Route.DEFAULT;

  /**
   * What a model's provider charges, for agents that report tokens and no cost. Each price is in
   * micro-dollars for a million tokens.
   *
   * @param input of input that the provider had not cached
   * @param output of output, reasoning included
   * @param cached of input that the provider had cached
   */
  public record TokenPrices(long input, long output, long cached) {
    private static final int MILLION = 6;

    public TokenPrices {
      if (input < 0 || output < 0 || cached < 0) {
        throw new IllegalArgumentException("prices must not be negative");
      }
    }

    /** Whether every token is free, as with a model on this machine. */
    public boolean free() {
      return input == 0 && output == 0 && cached == 0;
    }

    /** What these tokens cost, in micro-dollars, rounded up. */
    public Usage applied(Usage used) {
      BigDecimal cost =
          product(used.inputTokens(), input)
              .add(product(used.outputTokens(), output))
              .add(product(used.cachedTokens(), cached))
              .movePointLeft(MILLION)
              .setScale(0, RoundingMode.CEILING);
      return used.costing(cost.min(BigDecimal.valueOf(Long.MAX_VALUE)).longValue());
    }

    private static BigDecimal product(long tokens, long price) {
      return BigDecimal.valueOf(tokens).multiply(BigDecimal.valueOf(price));
    }
  }

  /**
   * Bounds of its sessions; null for those that apply to every session.
   *
   * @param budgetMicros most micro-dollars of a session
   * @param budgetTokens most tokens of every kind
   */
  public record Bounds(
      @ConfigKey(name = "budget.usd", unit = ConfigKey.Unit.MICRO_DOLLARS)
          @Nullable Long budgetMicros,
      @ConfigKey(name = "budget.tokens", to = 1_000_000_000_000L) @Nullable Long budgetTokens,
      @ConfigKey(name = "wall-clock", from = 1) @Nullable Duration wallClock) {
    /** Those that apply to every session. */
    public static final Bounds USUAL = new Bounds(null, null, null);
  }

  public AgentProfile {
    arguments = List.copyOf(arguments);
    env = List.copyOf(env);
    tools = List.copyOf(tools);
    AgentArguments.check(agent, arguments);
    if (!tools.isEmpty() && !agent.takesTools()) {
      throw new IllegalArgumentException("tools apply to claude only; remove them from " + name);
    }
    if (prices != null && agent.reportsCost()) {
      throw new IllegalArgumentException(
          "prices apply to agents that report no cost; remove them, because "
              + agent.name()
              + (agent.paid() ? " reports its cost" : " costs nothing"));
    }
  }

  /** The default profile: this agent, and nothing else configured. */
  public static AgentProfile usual(AgentProgram agent) {
    return new AgentProfile(
        DEFAULT, agent, List.of(), List.of(), List.of(), null, agent.provider(), Bounds.USUAL);
  }

  /** The same with another model, and that model's provider unless another was configured. */
  public AgentProfile withModel(@Nullable String model) {
    AgentProgram other = agent.withModel(model);
    String paused = Objects.equals(provider, agent.provider()) ? other.provider() : provider;
    return new AgentProfile(name, other, arguments, env, tools, prices, paused, bounds);
  }

  /**
   * Its agent as it runs sessions.
   *
   * @param excluded folders that scout never opens, for example the data folder
   * @param budgetMicros most micro-dollars of one session, 0 for no limit
   */
  public Agent session(DeepPrompt prompt, List<Path> excluded, long budgetMicros) {
    List<String> offered = tools.isEmpty() ? prompt.search().tools() : tools;
    return configured(
        agent.session(new AgentProgram.Setup(prompt, offered, excluded, budgetMicros)));
  }

  /**
   * Its agent as it answers one question; see {@link AgentProgram#oneAnswer}.
   *
   * @return empty for scout, which answers no questions
   */
  public Optional<Agent> oneAnswer(String schema, long budgetMicros) {
    return agent.oneAnswer(schema, budgetMicros).map(this::configured);
  }

  private Agent configured(Agent plain) {
    Agent extended = plain.withArguments(arguments);
    return prices == null ? extended : extended.priced(prices);
  }

  /** Whether its sessions cost money. */
  public boolean paid() {
    return prices == null ? agent.paid() : !prices.free();
  }
}
