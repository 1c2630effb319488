package dev.flyball.program.config;

import dev.flyball.runner.agent.AgentProfile;
import dev.flyball.triage.item.Routing;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Turns the entries of {@code routes} into the choice of an agent for each request. */
final class RouteEntries {
  private static final String ROUTES = "routes";

  private RouteEntries() {}

  /**
   * The rules, in the order in which they are written.
   *
   * @throws ConfigurationError with every problem found
   */
  static Routing of(Configuration configuration, List<AgentProfile> profiles) {
    var providers = new HashMap<String, String>();
    Set<String> names = new LinkedHashSet<>();
    for (AgentProfile profile : profiles) {
      names.add(profile.name());
      if (profile.provider() != null) {
        providers.put(profile.name(), profile.provider());
      }
    }
    var problems = new ArrayList<String>();
    var rules = new ArrayList<Routing.Rule>();
    for (Map<String, Setting> entry : configuration.list(ROUTES)) {
      ListEntry.read(
              "a route", entry, ConfiguredRoute.class, written -> written.rule(names), problems)
          .ifPresent(rules::add);
    }
    if (!problems.isEmpty()) {
      throw new ConfigurationError(problems);
    }
    return new Routing(rules, providers);
  }

  static List<Configuration.Row> rows(Configuration configuration) {
    return ListEntry.rows(configuration, ROUTES, ConfiguredRoute.class).toList();
  }
}
