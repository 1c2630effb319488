package dev.flyball.standalone.config;

import dev.flyball.producer.source.SourceConfig;
import dev.flyball.producer.source.SourceRules;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Turns the entries of {@code sources} into what the producer polls. */
final class SourceEntries {
  private static final Set<String> JSONL_KEYS =
      Set.of("name", "type", "path", "interval", "tenant");
  private static final Set<String> LATER_TYPES =
      Set.of("azure-devops", "azure-devops-cli", "github", "jira", "redmine");

  private final String tenant;
  private final List<String> problems = new ArrayList<>();

  private SourceEntries(String tenant) {
    this.tenant = tenant;
  }

  /**
   * All sources.
   *
   * @throws ConfigurationError with every problem found
   */
  static List<SourceConfig> of(Configuration configuration) {
    var entries = new SourceEntries(configuration.get(Keys.TENANT));
    var all = new ArrayList<SourceConfig>();
    for (Map<String, Setting> source : configuration.sources()) {
      SourceConfig one = entries.source(source);
      if (one != null) {
        all.add(one);
      }
    }
    if (!entries.problems.isEmpty()) {
      throw new ConfigurationError(entries.problems);
    }
    return all;
  }

  private @Nullable SourceConfig source(Map<String, Setting> entry) {
    Setting type = entry.get("type");
    if (type == null) {
      problems.add(where(entry) + ": a source needs a type; jsonl reads a file");
      return null;
    }
    if (!type.raw().equals("jsonl")) {
      problems.add(
          type.origin()
              + ": source type '"
              + type.raw()
              + "' "
              + (LATER_TYPES.contains(type.raw()) ? "is not in this version yet" : "is unknown")
              + "; use jsonl");
      return null;
    }
    for (var setting : entry.entrySet()) {
      if (!setting.getKey().isEmpty() && !JSONL_KEYS.contains(setting.getKey())) {
        problems.add(
            setting.getValue().origin()
                + ": no such key '"
                + setting.getKey()
                + "' in a jsonl source; it has name, type, path, interval, tenant");
        return null;
      }
    }
    return jsonl(entry);
  }

  private @Nullable SourceConfig jsonl(Map<String, Setting> entry) {
    Setting name = entry.get("name");
    Setting path = entry.get("path");
    if (name == null || path == null) {
      problems.add(where(entry) + ": a jsonl source needs a name and a path");
      return null;
    }
    Setting owner = entry.get("tenant");
    Duration interval = interval(entry.get("interval"));
    if (interval == null) {
      return null;
    }
    try {
      Path file = path.base().resolve(path.raw()).normalize();
      return new SourceConfig.Jsonl(
          new SourceConfig.Identity(owner == null ? tenant : owner.raw(), name.raw(), interval),
          SourceRules.DEFAULT,
          file);
    } catch (IllegalArgumentException e) {
      problems.add(name.origin() + ": " + DurationText.readable(String.valueOf(e.getMessage())));
      return null;
    }
  }

  private @Nullable Duration interval(@Nullable Setting setting) {
    try {
      return setting == null ? SourceConfig.DEFAULT_INTERVAL : DurationText.parse(setting.raw());
    } catch (IllegalArgumentException e) {
      problems.add(
          setting.origin()
              + ": interval '"
              + setting.raw()
              + "' is not "
              + ValueType.DURATION.allowed());
      return null;
    }
  }

  private static String where(Map<String, Setting> entry) {
    Setting first = entry.get("");
    return first == null ? "sources" : first.origin();
  }
}
