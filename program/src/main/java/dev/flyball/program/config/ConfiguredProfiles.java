package dev.flyball.program.config;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.runner.agent.AgentProfile;
import dev.flyball.runner.agent.AgentProfile.TokenPrices;
import dev.flyball.runner.agent.AgentProgram;
import dev.flyball.runner.agent.AgentProgram.AgentArguments;
import dev.flyball.runner.agent.Scout;
import dev.flyball.triage.item.Routing;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The configured agents, what they may cost, and which of them a request gets.
 *
 * @param profiles the default one first
 */
public record ConfiguredProfiles(Configuration configuration, List<AgentProfile> profiles) {
  /** What a UTC day may cost with an agent that costs money, unless configured. */
  public static final long DEFAULT_DAILY_MICROS = 20_000_000;

  /** What may name a model. */
  static final String MODEL = "[A-Za-z0-9][A-Za-z0-9._:/@\\[\\]-]{0,127}";

  public ConfiguredProfiles {
    profiles = List.copyOf(profiles);
  }

  /**
   * The profiles of a configuration.
   *
   * @throws ConfigurationError with everything that is wrong with the entries
   */
  static ConfiguredProfiles of(Configuration configuration) {
    AgentProgram agent = configuration.get(Keys.AGENT);
    AgentProgram usual =
        agent.withModel(configuration.find(Keys.MODEL).orElse(agent.facts().sessionModel()));
    var profiles = new ArrayList<AgentProfile>(List.of(AgentProfile.usual(usual)));
    profiles.addAll(
        EntryList.AGENTS.read(
            configuration, ConfiguredAgent::name, (entry, written) -> written.profile(entry)));
    return new ConfiguredProfiles(configuration, profiles);
  }

  /**
   * Which of them each request gets, by the entries of {@code routes} in their order.
   *
   * @throws ConfigurationError with everything that is wrong with the entries
   */
  Routing routing() {
    var providers = new HashMap<String, String>();
    Set<String> names = new LinkedHashSet<>();
    for (AgentProfile profile : profiles) {
      names.add(profile.name());
      if (profile.provider() != null) {
        providers.put(profile.name(), profile.provider());
      }
    }
    return new Routing(
        EntryList.ROUTES.read(
            configuration, _ -> null, (entry, written) -> written.rule(entry, names)),
        providers);
  }

  /**
   * What judges batches of changed items.
   *
   * @throws IllegalArgumentException if the keys of {@code triage} do not fit each other
   */
  public ConfiguredClassifier classifier() {
    return ConfiguredClassifier.of(configuration, profiles);
  }

  /** The profile of requests that no route sends elsewhere. */
  public AgentProfile usual() {
    return profiles.getFirst();
  }

  /** Whether every session needs no model, and so no network. */
  boolean onlyScout() {
    return profiles.stream().allMatch(each -> each.agent() instanceof Scout);
  }

  /** Whether a session of some profile costs money, or triage does. */
  public boolean paid() {
    return sessionsPaid() || classifier().paid();
  }

  /** Whether a session of some profile costs money. */
  public boolean sessionsPaid() {
    return profiles.stream().anyMatch(AgentProfile::paid);
  }

  /** The agents that cost money, for a person. */
  public String paidAgents() {
    Stream<String> sessions =
        profiles.stream().filter(AgentProfile::paid).map(each -> each.agent().name());
    Stream<String> triage =
        Stream.of(classifier()).filter(ConfiguredClassifier::paid).map(ConfiguredClassifier::name);
    return Stream.concat(sessions, triage).distinct().collect(Collectors.joining(", "));
  }

  /**
   * Most micro-dollars of a session of the profile that may cost most; 0 if one that costs money
   * has no limit, or none costs money.
   */
  public long highestReserve() {
    long[] reserves =
        profiles.stream().filter(AgentProfile::paid).mapToLong(this::reserve).sorted().toArray();
    return reserves.length == 0 || reserves[0] == 0 ? 0 : reserves[reserves.length - 1];
  }

  /** What a claim of each profile's session reserves, in micro-dollars, by the profile's name. */
  Map<String, Long> reserves() {
    return profiles.stream().collect(Collectors.toMap(AgentProfile::name, this::reserve));
  }

  /** What a claim of a profile's session reserves, in micro-dollars. */
  private long reserve(AgentProfile profile) {
    return profile.paid()
        ? Objects.requireNonNullElse(
            profile.bounds().budgetMicros(), configuration.get(Keys.SESSION_BUDGET))
        : 0;
  }

  /**
   * Most micro-dollars of a UTC day: as configured, else {@link #DEFAULT_DAILY_MICROS} where an
   * agent costs money; empty where none does.
   */
  public Optional<Long> dailyBudget() {
    Optional<Long> configured = configuration.find(Keys.DAILY_BUDGET);
    return configured.isPresent() || !paid() ? configured : Optional.of(DEFAULT_DAILY_MICROS);
  }

  /** A notice for the start, if the daily budget was not configured and one applies; else empty. */
  public Optional<String> dailyBudgetNotice() {
    return configuration.find(Keys.DAILY_BUDGET).isPresent()
        ? Optional.empty()
        : dailyBudget()
            .map(micros ->
                "budget.daily.usd is not set: "
                    + micros / 1_000_000
                    + " USD a day apply to "
                    + paidAgents()
                    + "; set it, or change it with flyball budget");
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
      @ConfigKey(name = "agent", required = true, meaning = "What runs, as `sessions.agent`")
          AgentProgram agent,
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
     * @throws ConfigurationError if values do not fit each other
     */
    AgentProfile profile(Section entry) {
      if (name.equals(AgentProfile.DEFAULT)) {
        throw entry.error(
            "name", "name default is the profile that sessions.agent makes; choose another name");
      }
      if (wallClock != null && !wallClock.isPositive()) {
        throw entry.error("wall-clock", "wall-clock 0s must be above 0");
      }
      for (String variable : env) {
        if (!variable.matches("[A-Za-z_][A-Za-z0-9_]*")) {
          throw entry.error("env", "env '" + variable + "' is no variable's name");
        }
      }
      AgentProgram own = agent.withModel(model == null ? agent.facts().sessionModel() : model);
      entry.check("args", () -> AgentArguments.check(own, arguments));
      return new AgentProfile(
          name,
          own,
          arguments,
          env,
          tools,
          prices(entry),
          provider == null ? own.provider() : provider,
          new AgentProfile.Bounds(budgetMicros, budgetTokens, wallClock));
    }

    private @Nullable TokenPrices prices(Section entry) {
      if (inputPrice == null && outputPrice == null && cachedPrice == null) {
        return null;
      }
      if (inputPrice == null || outputPrice == null) {
        throw entry.error(
            inputPrice == null ? "prices.output" : "prices.input",
            "prices need prices.input and prices.output");
      }
      return new TokenPrices(
          inputPrice, outputPrice, Objects.requireNonNullElse(cachedPrice, inputPrice));
    }
  }

  /** One entry of the list of routes, as it is written. */
  record ConfiguredRoute(
      @ConfigKey(
              name = "profile",
              matches = "[a-z0-9-]{1,32}",
              allowed = "the name of a profile of `agents`, or default",
              required = true,
              meaning = "Which agent the items get for which every other key of the route holds")
          String profile,
      @ConfigKey(
              name = "complexity",
              matches = "[1-5](-[1-5])?",
              allowed = "1 (trivial) to 5 (deep), or a range, for example 4-5",
              meaning = "The complexity of the verdict")
          @Nullable String complexity,
      @ConfigKey(
              name = "priority",
              matches = "[0-9]{1,4}(-[0-9]{1,4})?",
              allowed = "a number, 1 is first, or a range, for example 1-2",
              meaning = "The priority of the verdict")
          @Nullable String priority,
      @ConfigKey(
              name = "modules",
              meaning =
                  "One of the verdict's modules matches one of these: `*` is anything within one"
                      + " folder's name, `**` anything")
          List<String> modules,
      @ConfigKey(
              name = "sources",
              meaning = "The item's source is one of these, by its name or as tenant/name")
          List<String> sources,
      @ConfigKey(
              name = "labels",
              meaning =
                  "The item has one of these labels (Azure DevOps: tags), whatever their case")
          List<String> labels) {

    /**
     * The rule.
     *
     * @param profiles names of the configured profiles
     * @throws ConfigurationError if the profile does not exist, or a range is empty
     */
    Routing.Rule rule(Section entry, Set<String> profiles) {
      if (!profiles.contains(profile)) {
        throw entry.error(
            "profile",
            "profile " + profile + " is not in agents; it has " + String.join(", ", profiles));
      }
      var conditions = new ArrayList<Routing.Condition>();
      if (complexity != null) {
        conditions.add(range(entry, "complexity", complexity, Routing.Complexity::new));
      }
      if (priority != null) {
        conditions.add(range(entry, "priority", priority, Routing.Priority::new));
      }
      named(modules, Routing.Modules::new, conditions);
      named(sources, Routing.Sources::new, conditions);
      named(labels, Routing.Labels::new, conditions);
      return new Routing.Rule(profile, conditions);
    }

    private static void named(
        List<String> names,
        Function<List<String>, Routing.Condition> made,
        List<Routing.Condition> conditions) {
      if (!names.isEmpty()) {
        conditions.add(made.apply(names));
      }
    }

    private static Routing.Condition range(
        Section entry,
        String key,
        String text,
        BiFunction<Integer, Integer, Routing.Condition> made) {
      List<Integer> ends = List.of(text.split("-")).stream().map(Integer::valueOf).toList();
      if (ends.getFirst() > ends.getLast()) {
        throw entry.error(key, key + " " + text + " is empty; write the smaller number first");
      }
      return made.apply(ends.getFirst(), ends.getLast());
    }
  }
}
