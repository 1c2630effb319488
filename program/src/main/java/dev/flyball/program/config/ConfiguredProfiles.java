package dev.flyball.program.config;

import dev.flyball.runner.agent.AgentProfile;
import dev.flyball.runner.agent.AgentProgram;
import dev.flyball.runner.agent.Scout;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The configured agents, and what they may cost.
 *
 * @param profiles the default one first
 */
public record ConfiguredProfiles(Configuration configuration, List<AgentProfile> profiles) {
  /** What a UTC day may cost with an agent that costs money, unless configured. */
  public static final long DEFAULT_DAILY_MICROS = 20_000_000;

  public ConfiguredProfiles {
    profiles = List.copyOf(profiles);
  }

  /**
   * The profiles of a configuration.
   *
   * @throws ConfigurationError with everything that is wrong with the entries
   * @throws IllegalArgumentException if {@code sessions.agent} is wrong
   */
  static ConfiguredProfiles of(Configuration configuration) {
    AgentProgram agent =
        AgentEntries.agent(configuration.get(Keys.AGENT), configuration.base(Keys.AGENT));
    AgentProgram usual =
        agent.withModel(configuration.find(Keys.MODEL).orElse(agent.facts().sessionModel()));
    return new ConfiguredProfiles(configuration, AgentEntries.of(configuration, usual));
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
}
