package dev.flyball.program.config;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.runner.agent.AgentArguments;
import dev.flyball.runner.agent.AgentCatalogue;
import dev.flyball.runner.agent.AgentProfile;
import dev.flyball.runner.agent.AgentProgram;
import dev.flyball.runner.agent.Command;
import dev.flyball.runner.agent.TokenPrices;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Turns the entries of {@code agents} into profiles; {@code sessions.*} make the default one. */
final class AgentEntries {
  /** What may name a model. */
  static final String MODEL = "[A-Za-z0-9][A-Za-z0-9._:/@\\[\\]-]{0,127}";

  private AgentEntries() {}

  /**
   * All profiles, the default one first, then in the order in which they are written.
   *
   * @param usual the agent of {@code sessions.agent}
   * @throws ConfigurationError with every problem found
   */
  static List<AgentProfile> of(Configuration configuration, AgentProgram usual) {
    var profiles = new ArrayList<AgentProfile>(List.of(AgentProfile.usual(usual)));
    profiles.addAll(
        EntryList.AGENTS.read(
            configuration,
            ConfiguredAgent.class,
            ConfiguredAgent::name,
            (entry, written) -> written.profile(agent(written.agent(), entry.base("agent")))));
    return profiles;
  }

  /** The agent of a name; the path of its program counts from this folder. */
  static AgentProgram agent(String text, Path base) {
    AgentProgram name = AgentCatalogue.parse(text);
    return name instanceof Command command && command.program().contains("/")
        ? new Command(base.resolve(command.program()).normalize().toString())
        : name;
  }

  /** One entry of the list of agents, as it is written. */
  record ConfiguredAgent(
      @ConfigKey(
              name = "name",
              matches = "[a-z0-9-]{1,32}",
              allowed = "1 to 32 of a-z, 0-9 and -",
              required = true,
              meaning = "Name of the profile, by which `routes` choose it")
          String name,
      @ConfigKey(
              name = "agent",
              matches = AgentCatalogue.PATTERN,
              allowed = AgentCatalogue.KNOWN,
              required = true,
              meaning = "What runs, as `sessions.agent`")
          String agent,
      @ConfigKey(
              name = "model",
              matches = MODEL,
              allowed = "a model's name",
              meaning =
                  "The agent's model. Unset: the one that `sessions.model` has if it is unset")
          @Nullable String model,
      @ConfigKey(
              name = "args",
              meaning =
                  "Further arguments of its program, each an element of the list. Of an agent with"
                      + " a name only options that widen no permission, for example `[-c,"
                      + " model_provider=x]` of codex; of `command:` any")
          List<String> arguments,
      @ConfigKey(
              name = "env",
              meaning =
                  "Names of environment variables that it inherits besides `sessions.env`, for"
                      + " example that of its provider's key")
          List<String> env,
      @ConfigKey(
              name = "tools",
              choices = {"Read", "Glob", "Grep"},
              meaning = "Which of its tools claude may use; by default those of sessions.search")
          List<String> tools,
      @ConfigKey(
              name = "provider",
              matches = "[a-z0-9-]{1,32}",
              allowed = "1 to 32 of a-z, 0-9 and -",
              meaning =
                  "Whose rate limits its sessions share: the scope of `flyball pause --provider`"
                      + " and of a rejected call. By default anthropic (with the family of its"
                      + " model where that has separate limits: anthropic/opus, anthropic/sonnet),"
                      + " openai or google by its agent, none for `command:`")
          @Nullable String provider,
      @ConfigKey(
              name = "prices.input",
              unit = ConfigKey.Unit.MICRO_DOLLARS,
              meaning =
                  "What a million input tokens cost. All agents but claude report tokens and no"
                      + " cost. Without prices a session is booked with its whole budget.usd. 0 for"
                      + " all prices: the model costs nothing")
          @Nullable Long inputPrice,
      @ConfigKey(
              name = "prices.output",
              unit = ConfigKey.Unit.MICRO_DOLLARS,
              meaning = "What a million output tokens cost; needed with prices.input")
          @Nullable Long outputPrice,
      @ConfigKey(
              name = "prices.cached",
              unit = ConfigKey.Unit.MICRO_DOLLARS,
              meaning = "What a million cached input tokens cost; by default as prices.input")
          @Nullable Long cachedPrice,
      @ConfigKey(
              name = "budget.usd",
              unit = ConfigKey.Unit.MICRO_DOLLARS,
              meaning = "As `sessions.budget.usd`, which is the default")
          @Nullable Long budgetMicros,
      @ConfigKey(
              name = "budget.tokens",
              to = 1_000_000_000_000L,
              meaning = "As `sessions.budget.tokens`, which is the default")
          @Nullable Long budgetTokens,
      @ConfigKey(
              name = "wall-clock",
              meaning = "Longest life of a session; by default `sessions.wall-clock`")
          @Nullable Duration wallClock) {

    /**
     * The profile.
     *
     * @param agent which agent its {@link #agent} names
     * @throws IllegalArgumentException if values do not fit each other
     */
    AgentProfile profile(AgentProgram agent) {
      if (name.equals(AgentProfile.DEFAULT)) {
        throw new Rejected(
            "name", "name default is the profile that sessions.agent makes; choose another name");
      }
      if (wallClock != null && !wallClock.isPositive()) {
        throw new Rejected("wall-clock", "wall-clock 0s must be above 0");
      }
      for (String variable : env) {
        if (!variable.matches("[A-Za-z_][A-Za-z0-9_]*")) {
          throw new Rejected("env", "env '" + variable + "' is no variable's name");
        }
      }
      AgentProgram own = agent.withModel(model == null ? agent.facts().sessionModel() : model);
      Rejected.unless("args", () -> AgentArguments.check(own, arguments));
      return new AgentProfile(
          name,
          own,
          arguments,
          env,
          tools,
          prices(),
          provider == null ? own.provider() : provider,
          new AgentProfile.Bounds(budgetMicros, budgetTokens, wallClock));
    }

    private @Nullable TokenPrices prices() {
      if (inputPrice == null && outputPrice == null && cachedPrice == null) {
        return null;
      }
      if (inputPrice == null || outputPrice == null) {
        throw new Rejected(
            inputPrice == null ? "prices.output" : "prices.input",
            "prices need prices.input and prices.output");
      }
      return new TokenPrices(
          inputPrice, outputPrice, Objects.requireNonNullElse(cachedPrice, inputPrice));
    }
  }
}
