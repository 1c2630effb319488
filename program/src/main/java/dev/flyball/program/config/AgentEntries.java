package dev.flyball.program.config;

import dev.flyball.runner.agent.AgentName;
import dev.flyball.runner.agent.AgentProfile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Turns the entries of {@code agents} into profiles; {@code sessions.*} make the default one. */
final class AgentEntries {
  private static final String AGENTS = "agents";

  /** More of them are a mistake: runners announce the names in each of their entries. */
  private static final int MOST = 24;

  private AgentEntries() {}

  /**
   * All profiles, the default one first, then in the order in which they are written.
   *
   * @param usual the agent of {@code sessions.agent}
   * @throws ConfigurationError with every problem found
   */
  static List<AgentProfile> of(Configuration configuration, AgentName usual) {
    var problems = new ArrayList<String>();
    var profiles = new ArrayList<AgentProfile>(List.of(AgentProfile.usual(usual)));
    var places = new HashMap<String, String>();
    for (Map<String, Setting> entry : configuration.list(AGENTS)) {
      ListEntry.read(
              "a profile of agents",
              entry,
              ConfiguredAgent.class,
              written -> profile(written, entry, places),
              problems)
          .ifPresent(profiles::add);
    }
    if (profiles.size() > MOST) {
      problems.add("agents: " + profiles.size() + " profiles, at most " + MOST + " are possible");
    }
    if (!problems.isEmpty()) {
      throw new ConfigurationError(problems);
    }
    return profiles;
  }

  private static AgentProfile profile(
      ConfiguredAgent written, Map<String, Setting> entry, Map<String, String> places) {
    Setting name = entry.get("name");
    Setting agent = entry.get("agent");
    if (name == null || agent == null) {
      throw new IllegalStateException("an entry without a required key was not rejected");
    }
    if (written.name().equals(AgentProfile.DEFAULT)) {
      throw new IllegalArgumentException(
          "name default is the profile that sessions.agent makes; choose another name");
    }
    String first = places.putIfAbsent(written.name(), name.origin());
    if (first != null) {
      throw new IllegalArgumentException(
          "name " + written.name() + " is used twice, first at " + first);
    }
    return written.profile(agent(written.agent(), agent.base()));
  }

  /** The agent of a name; the path of its program counts from this folder. */
  static AgentName agent(String text, Path base) {
    AgentName name = AgentName.parse(text);
    return name instanceof AgentName.Command command && command.program().contains("/")
        ? new AgentName.Command(base.resolve(command.program()).normalize().toString())
        : name;
  }

  static List<Configuration.Row> rows(Configuration configuration) {
    return ListEntry.rows(configuration, AGENTS, ConfiguredAgent.class).toList();
  }
}
