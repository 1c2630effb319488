package dev.flyball.program.config;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.runner.agent.AgentProfile;
import dev.flyball.runner.agent.AgentProfile.TokenPrices;
import dev.flyball.runner.agent.AgentProgram;
import dev.flyball.runner.agent.AgentProgram.AgentArguments;
import dev.flyball.runner.agent.Scout;
import dev.flyball.triage.item.Routing;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
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
    profiles.addAll(EntryList.AGENTS.read(configuration, ConfiguredAgent::profile));
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
        EntryList.ROUTES.read(configuration, written -> written.rule(names)), providers);
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
  public boolean onlyScout() {
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
              required = true)
          String name,
      @ConfigKey(name = "agent", required = true) AgentProgram agent,
      @ConfigKey(name = "model", matches = MODEL, allowed = "a model's name")
          @Nullable String model,
      @ConfigKey(name = "args") List<String> arguments,
      @ConfigKey(
              name = "env",
              matches = "[A-Za-z_][A-Za-z0-9_]*",
              allowed = "a list of variables' names, for example [A, B]")
          List<String> env,
      @ConfigKey(
              name = "tools",
              choices = {"Read", "Glob", "Grep"})
          List<String> tools,
      @ConfigKey(
              name = "provider",
              matches = "[a-z0-9-]{1,32}",
              allowed = "1 to 32 of a-z, 0-9 and -")
          @Nullable String provider,
      @ConfigKey(name = "prices.input", unit = ConfigKey.Unit.MICRO_DOLLARS)
          @Nullable Long inputPrice,
      @ConfigKey(name = "prices.output", unit = ConfigKey.Unit.MICRO_DOLLARS)
          @Nullable Long outputPrice,
      @ConfigKey(name = "prices.cached", unit = ConfigKey.Unit.MICRO_DOLLARS)
          @Nullable Long cachedPrice,
      AgentProfile.Bounds bounds) {

    /**
     * The profile.
     *
     * @throws ConfigurationError if values do not fit each other
     */
    AgentProfile profile() {
      if (name.equals(AgentProfile.DEFAULT)) {
        throw new ConfigurationError(
            "name", "name default is the profile that sessions.agent makes; choose another name");
      }
      AgentProgram own = agent.withModel(model == null ? agent.facts().sessionModel() : model);
      ConfigurationError.check("args", () -> AgentArguments.check(own, arguments));
      return new AgentProfile(
          name,
          own,
          arguments,
          env,
          tools,
          prices(),
          provider == null ? own.provider() : provider,
          bounds);
    }

    private @Nullable TokenPrices prices() {
      if (inputPrice == null && outputPrice == null && cachedPrice == null) {
        return null;
      }
      if (inputPrice == null || outputPrice == null) {
        throw new ConfigurationError(
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
              required = true)
          String profile,
      @ConfigKey(name = "complexity") Routing.@Nullable Complexity complexity,
      @ConfigKey(name = "priority") Routing.@Nullable Priority priority,
      @ConfigKey(name = "modules") List<String> modules,
      @ConfigKey(name = "sources") List<String> sources,
      @ConfigKey(name = "labels") List<String> labels) {

    /**
     * The rule.
     *
     * @param profiles names of the configured profiles
     * @throws ConfigurationError if the profile does not exist
     */
    Routing.Rule rule(Set<String> profiles) {
      if (!profiles.contains(profile)) {
        throw new ConfigurationError(
            "profile",
            "profile " + profile + " is not in agents; it has " + String.join(", ", profiles));
      }
      List<Routing.Condition> conditions =
          Stream.<Routing.@Nullable Condition>of(
                  complexity,
                  priority,
                  modules.isEmpty() ? null : new Routing.Modules(modules),
                  sources.isEmpty() ? null : new Routing.Sources(sources),
                  labels.isEmpty() ? null : new Routing.Labels(labels))
              .flatMap(Stream::ofNullable)
              .toList();
      return new Routing.Rule(profile, conditions);
    }
  }
}
