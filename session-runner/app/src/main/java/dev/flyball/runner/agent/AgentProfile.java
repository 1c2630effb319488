package dev.flyball.runner.agent;

import dev.flyball.contract.session.Route;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An agent with everything that is configured for it, under the name by which requests ask for it.
 *
 * @param arguments further arguments of its program; {@link AgentArguments} says which are accepted
 * @param env names of environment variables that it inherits besides {@code sessions.env}
 * @param tools the tools that it may use; empty for those of its adapter
 * @param prices what its tokens cost; null for an agent that reports its cost
 * @param provider scope of rate limits, caps and pauses; null for an agent without one
 */
public record AgentProfile(
    String name,
    AgentName agent,
    List<String> arguments,
    List<String> env,
    List<String> tools,
    @Nullable TokenPrices prices,
    @Nullable String provider,
    Bounds bounds) {

  /** The profile of requests that name none. */
  public static final String DEFAULT = Route.DEFAULT;

  /**
   * Bounds of its sessions; null for those that apply to every session.
   *
   * @param budgetMicros most micro-dollars of a session
   * @param budgetTokens most tokens of every kind
   */
  public record Bounds(
      @Nullable Long budgetMicros, @Nullable Long budgetTokens, @Nullable Duration wallClock) {
    /** Those that apply to every session. */
    public static final Bounds USUAL = new Bounds(null, null, null);
  }

  public AgentProfile {
    arguments = List.copyOf(arguments);
    env = List.copyOf(env);
    tools = List.copyOf(tools);
    AgentArguments.check(agent, arguments);
    if (!tools.isEmpty() && !(agent instanceof AgentName.Claude)) {
      throw new IllegalArgumentException("tools apply to claude only; remove them from " + name);
    }
    if (prices != null && (agent instanceof AgentName.Claude || agent instanceof AgentName.Scout)) {
      throw new IllegalArgumentException(
          "prices apply to agents that report no cost; remove them, because "
              + agent
              + (agent instanceof AgentName.Claude ? " reports its cost" : " costs nothing"));
    }
  }

  /** The default profile: this agent, and nothing else configured. */
  public static AgentProfile usual(AgentName agent) {
    return new AgentProfile(
        DEFAULT, agent, List.of(), List.of(), List.of(), null, agent.provider(), Bounds.USUAL);
  }

  /** The same with another model, and that model's provider unless another was configured. */
  public AgentProfile withModel(@Nullable String model) {
    AgentName other = agent.withModel(model);
    String paused = Objects.equals(provider, agent.provider()) ? other.provider() : provider;
    return new AgentProfile(name, other, arguments, env, tools, prices, paused, bounds);
  }

  /** The same, and claude has these tools unless the profile names its own. */
  public AgentProfile withUsualTools(List<String> usual) {
    return agent instanceof AgentName.Claude && tools.isEmpty()
        ? new AgentProfile(name, agent, arguments, env, usual, prices, provider, bounds)
        : this;
  }

  /** Whether its sessions cost money. */
  public boolean paid() {
    return prices == null ? agent.paid() : !prices.free();
  }
}
