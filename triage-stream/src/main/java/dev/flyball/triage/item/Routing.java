package dev.flyball.triage.item;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.session.Route;
import dev.flyball.contract.triage.Verdict;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides which profile an item's session gets: that of the first rule whose conditions all hold,
 * else the default one.
 *
 * @param providers the scope of rate limits of each profile that has one, by the profile's name
 */
public record Routing(List<Rule> rules, Map<String, String> providers) {
  /** One profile for every item, without a scope of rate limits. */
  public static final Routing NONE = new Routing(List.of(), Map.of());

  public Routing {
    rules = List.copyOf(rules);
    providers = Map.copyOf(providers);
  }

  /**
   * One rule.
   *
   * @param profile what its items get
   * @param conditions must all hold; none hold always
   */
  public record Rule(String profile, List<Condition> conditions) {
    public Rule {
      conditions = List.copyOf(conditions);
    }

    private String text() {
      return conditions.isEmpty()
          ? "every item"
          : conditions.stream().map(Condition::text).collect(Collectors.joining(", "));
    }
  }

  /** What a rule asks of an item. */
  public sealed interface Condition {

    /** One line for a person. */
    default String text() {
      return switch (this) {
        case Complexity it -> "complexity " + range(it.from(), it.to());
        case Priority it -> "priority " + range(it.from(), it.to());
        case Modules it -> "modules " + String.join(" or ", it.globs());
        case Sources it -> "source " + String.join(" or ", it.names());
        case Labels it -> "label " + String.join(" or ", it.labels());
      };
    }

    private boolean holds(ItemKey item, Snapshot snapshot, Verdict verdict) {
      return switch (this) {
        case Complexity it -> within(verdict.complexity(), it.from(), it.to());
        case Priority it -> within(verdict.priority(), it.from(), it.to());
        case Modules it ->
            it.globs().stream()
                .map(Routing::pattern)
                .anyMatch(
                    glob -> verdict.modules().stream().anyMatch(m -> glob.matcher(m).matches()));
        case Sources it ->
            it.names().contains(item.source()) || it.names().contains(item.sourceKey());
        case Labels it ->
            it.labels().stream()
                .anyMatch(label -> snapshot.tags().stream().anyMatch(label::equalsIgnoreCase));
      };
    }
  }

  /** The verdict's complexity is within these, both included. */
  public record Complexity(int from, int to) implements Condition {}

  /** The verdict's priority is within these, both included; 1 is first. */
  public record Priority(int from, int to) implements Condition {}

  /** One of the verdict's modules matches one of these. */
  public record Modules(List<String> globs) implements Condition {
    public Modules {
      globs = List.copyOf(globs);
    }
  }

  /** The item's source is one of these, by its name or as {@code tenant/name}. */
  public record Sources(List<String> names) implements Condition {
    public Sources {
      names = List.copyOf(names);
    }
  }

  /** The item has one of these labels, whatever their case. */
  public record Labels(List<String> labels) implements Condition {
    public Labels {
      labels = List.copyOf(labels);
    }
  }

  /** Which profile the item gets, and by which rule. */
  Route of(ItemKey item, Snapshot snapshot, Verdict verdict) {
    for (int i = 0; i < rules.size(); i++) {
      Rule rule = rules.get(i);
      if (rule.conditions().stream().allMatch(each -> each.holds(item, snapshot, verdict))) {
        return to(rule.profile(), "routes[" + i + "]: " + rule.text());
      }
    }
    return to(Route.DEFAULT, rules.isEmpty() ? null : "no route matches");
  }

  private Route to(String profile, @Nullable String by) {
    return new Route(profile, by, providers.get(profile));
  }

  private static boolean within(int value, int from, int to) {
    return value >= from && value <= to;
  }

  private static String range(int from, int to) {
    return from == to ? String.valueOf(from) : from + "-" + to;
  }

  /** {@code **} is anything, {@code *} and {@code ?} stay within one folder's name. */
  private static Pattern pattern(String glob) {
    var regex = new StringBuilder();
    for (int i = 0; i < glob.length(); i++) {
      char c = glob.charAt(i);
      boolean twice = c == '*' && i + 1 < glob.length() && glob.charAt(i + 1) == '*';
      if (twice) {
        i++;
      }
      regex.append(
          twice ? ".*" : c == '*' ? "[^/]*" : c == '?' ? "[^/]" : Pattern.quote(String.valueOf(c)));
    }
    return Pattern.compile(regex.toString());
  }
}
