package dev.flyball.program.config;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.runner.agent.AgentProfile;
import dev.flyball.triage.item.Routing;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Turns the entries of {@code routes} into the choice of an agent for each request. */
final class RouteEntries {
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
    return new Routing(
        EntryList.ROUTES.read(
            configuration, ConfiguredRoute.class, _ -> null, (_, written) -> written.rule(names)),
        providers);
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
     * @throws IllegalArgumentException if the profile does not exist, or a range is empty
     */
    Routing.Rule rule(Set<String> profiles) {
      if (!profiles.contains(profile)) {
        throw new Rejected(
            "profile",
            "profile " + profile + " is not in agents; it has " + String.join(", ", profiles));
      }
      var conditions = new ArrayList<Routing.Condition>();
      if (complexity != null) {
        conditions.add(range("complexity", complexity, Routing.Complexity::new));
      }
      if (priority != null) {
        conditions.add(range("priority", priority, Routing.Priority::new));
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
        String key, String text, BiFunction<Integer, Integer, Routing.Condition> made) {
      List<Integer> ends = List.of(text.split("-")).stream().map(Integer::valueOf).toList();
      if (ends.getFirst() > ends.getLast()) {
        throw new Rejected(key, key + " " + text + " is empty; write the smaller number first");
      }
      return made.apply(ends.getFirst(), ends.getLast());
    }
  }
}
