package dev.flyball.program.config;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Puts the layers over each other: defaults, then flyball.yaml (or {@code --config FILE}), then
 * {@code FLYBALL_*}, then {@code --set}. Every problem is collected, so that a user can fix all of
 * them in one step.
 */
public final class ConfigurationLoader {
  /** The file that is read unless another is named, in the current folder. */
  public static final Path DEFAULT_FILE = Path.of("flyball.yaml");

  private static final String KAFKA = "kafka.";
  private static final String ENV_PREFIX = "FLYBALL_";

  /**
   * Our own variables that are not configuration: the session's cookie, and those of the launcher
   * and the build.
   */
  private static final Set<String> NOT_KEYS =
      Set.of(
          "FLYBALL_SESSION",
          "FLYBALL_JAVA_OPTS",
          "FLYBALL_JAVA_HOME",
          "FLYBALL_HOME",
          "FLYBALL_CONSOLE",
          "FLYBALL_CONSOLE_TOKEN");

  private static final Pattern SERVICE_LINK =
      Pattern.compile(
          ".*_SERVICE_(HOST|PORT(_.+)?)|.*_PORT_\\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?");

  private final Map<String, Setting> settings = new LinkedHashMap<>();
  private final Map<String, Setting> kafka = new LinkedHashMap<>();
  private final Map<String, List<Map<String, Setting>>> lists = new LinkedHashMap<>();
  private final List<String> problems = new ArrayList<>();

  private ConfigurationLoader() {}

  /**
   * Loads all layers.
   *
   * @param file what {@code --config} names; null for flyball.yaml of the current folder, if there
   *     is one
   * @param env the environment
   * @param sets {@code key=value} of each {@code --set}
   * @throws ConfigurationError with every problem found
   */
  public static Configuration load(
      @Nullable Path file, Map<String, String> env, List<String> sets) {
    var loader = new ConfigurationLoader();
    Path yaml = file == null ? DEFAULT_FILE : file;
    if (file != null || Files.exists(yaml)) {
      loader.add(YamlFile.read(yaml, yaml.toString(), loader.problems));
    }
    new TreeMap<>(env).forEach(loader::variable);
    sets.forEach(loader::set);
    if (!loader.problems.isEmpty()) {
      throw new ConfigurationError(loader.problems);
    }
    return new Configuration(loader.settings, loader.kafka, loader.lists);
  }

  private void add(YamlFile file) {
    file.settings().forEach(this::put);
    lists.putAll(file.lists());
  }

  private void variable(String name, String value) {
    if (!name.startsWith(ENV_PREFIX)
        || NOT_KEYS.contains(name)
        || value.isBlank()
        || serviceLink(name, value)) {
      return;
    }
    var key = Keys.all().stream().filter(one -> one.variable().equals(name)).findFirst();
    if (key.isPresent()) {
      put(key.get().name(), fromHere(value, name));
    } else if (name.startsWith(ENV_PREFIX + "KAFKA_")) {
      String property = name.substring((ENV_PREFIX + "KAFKA_").length());
      put(KAFKA + KafkaEntries.ofVariable(property), fromHere(value, name));
    } else if (ListEntry.EXAMPLES.containsKey(afterPrefix(name))) {
      add(YamlFile.inline(afterPrefix(name), value, name, problems));
    } else {
      Set<String> known = Keys.all().stream().map(Key::variable).collect(Collectors.toSet());
      problems.add(
          "environment variable "
              + name
              + removed(afterPrefix(name)).orElseGet(() -> ": no such key" + meant(name, known)));
    }
  }

  private static String afterPrefix(String variable) {
    return variable.substring(ENV_PREFIX.length()).toLowerCase(Locale.ROOT).replace('_', '.');
  }

  /** Whether Kubernetes added the variable because a service's name begins with flyball. */
  private static boolean serviceLink(String name, String value) {
    return SERVICE_LINK.matcher(name).matches()
        || (name.endsWith("_PORT") && value.contains("://"));
  }

  private void set(String assignment) {
    int equals = assignment.indexOf('=');
    if (equals < 1) {
      problems.add("--set " + assignment + ": write --set key=value, for example --set cap=3");
      return;
    }
    String key = assignment.substring(0, equals).strip();
    String value = assignment.substring(equals + 1).strip();
    if (ListEntry.EXAMPLES.containsKey(key)) {
      add(YamlFile.inline(key, value, "--set", problems));
    } else {
      put(key, fromHere(value, "--set"));
    }
  }

  private void put(String name, Setting setting) {
    if (name.startsWith(KAFKA)) {
      KafkaEntries.put(kafka, name.substring(KAFKA.length()), setting, problems);
      return;
    }
    var key = Keys.named(name);
    if (key.isEmpty()) {
      Set<String> known = Keys.all().stream().map(Key::name).collect(Collectors.toSet());
      problems.add(
          setting.origin()
              + removed(name).orElseGet(() -> ": no such key '" + name + "'" + meant(name, known)));
      return;
    }
    try {
      key.get().type().check(setting.raw());
      settings.put(name, setting);
    } catch (IllegalArgumentException | ArithmeticException e) {
      problems.add(
          setting.origin()
              + ": "
              + name
              + " '"
              + SourceValues.rejected(key.get().type(), setting.raw())
              + "' is not "
              + key.get().type().allowed());
    }
  }

  private static Setting fromHere(String value, String origin) {
    return new Setting(value, origin, Path.of("").toAbsolutePath());
  }

  /** What to do instead of setting a key that earlier versions had; empty for any other name. */
  static Optional<String> removed(String name) {
    return name.equals("pools") || name.equals("runner.pool")
        ? Optional.of(
            ": "
                + name
                + " was removed; instead run two installations on one Kafka, each with its own"
                + " topics.prefix and data folder")
        : Optional.empty();
  }

  static String meant(String typed, Set<String> words) {
    return Nearest.to(typed, words)
        .map(word -> "; did you mean '" + word + "'?")
        .orElse("; `./flyball config` lists all keys");
  }
}
