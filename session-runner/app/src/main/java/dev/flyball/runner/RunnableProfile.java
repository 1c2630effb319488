package dev.flyball.runner;

import dev.flyball.runner.agent.Agent;
import dev.flyball.runner.agent.AgentProfile;
import dev.flyball.runner.session.SessionLimits;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A profile as this runner runs it.
 *
 * @param variables names of the environment variables that it inherits by configuration
 * @param limits of each of its sessions
 */
record RunnableProfile(
    String name, Agent agent, Collection<String> variables, SessionLimits limits) {

  /** The configured profiles, the default one first. */
  static List<RunnableProfile> all(RunnerConfig config) {
    return config.agents().profiles().stream().map(each -> of(each, config)).toList();
  }

  private static RunnableProfile of(AgentProfile profile, RunnerConfig config) {
    SessionLimits limits = config.session().with(profile.bounds());
    return new RunnableProfile(
        profile.name(),
        profile.session(config.agents().prompt(), List.of(config.dataDir()), limits.budgetMicros()),
        Stream.concat(config.agents().env().stream(), profile.env().stream()).toList(),
        limits);
  }

  /** What a claim of each profile holds back, in micro-dollars, by its name. */
  static Map<String, Long> reserves(List<RunnableProfile> profiles) {
    return profiles.stream()
        .collect(Collectors.toMap(RunnableProfile::name, RunnableProfile::reserveMicros));
  }

  /** The variables of this process that it inherits. */
  Map<String, String> environment(Map<String, String> all) {
    return agent.environment(all, variables);
  }

  /** The values that must not appear in its output, nor in that of another profile. */
  List<String> secrets(Map<String, String> all) {
    return agent.secrets(all, variables);
  }

  /** Whether its sessions cost money. */
  boolean paid() {
    return agent.is(Agent.Trait.PAID);
  }

  /** What a claim of it holds back, in micro-dollars. */
  long reserveMicros() {
    return paid() ? limits.budgetMicros() : 0;
  }
}
