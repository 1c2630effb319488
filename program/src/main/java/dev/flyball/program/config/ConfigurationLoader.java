package dev.flyball.program.config;

import dev.flyball.contract.text.OneLine;
import dev.flyball.program.config.Configuration.Setting;
import dev.flyball.program.config.ConfigurationError.Problem;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.MalformedInputException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.AnchorNode;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * Puts the layers over each other: defaults, then flyball.yaml (or {@code --config FILE}), then
 * {@code FLYBALL_*}, then {@code --set}. Every problem is collected, so that a user can fix all of
 * them in one step.
 */
public final class ConfigurationLoader {
  /** The file that is read unless another is named, in the current folder. */
  public static final Path DEFAULT_FILE = Path.of("flyball.yaml");

  private static final int MAX_BYTES = 1 << 20;
  private static final String ENV_PREFIX = "FLYBALL_";
  private static final String ENV_KAFKA = "FLYBALL_KAFKA_";

  /**
   * Variables that are not configuration: the session's cookie, those of the launcher, the build
   * and the commands, and what Kubernetes adds because a service's name begins with flyball.
   */
  private static final Pattern NOT_KEYS =
      Pattern.compile(
          "FLYBALL_(SESSION|JAVA_OPTS|JAVA_HOME|HOME|CONSOLE|CONSOLE_TOKEN)"
              + "|.*_SERVICE_(HOST|PORT(_.+)?)|.*_PORT_\\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?");

  private final Map<String, Setting> settings = new LinkedHashMap<>();
  private final List<Problem> problems = new ArrayList<>();

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
    if (file != null || Files.exists(DEFAULT_FILE)) {
      loader.read(file == null ? DEFAULT_FILE : file);
    }
    new TreeMap<>(env).forEach(loader::variable);
    sets.forEach(loader::set);
    return loader.loaded();
  }

  /**
   * Loads a text as if it were this file's, without any other layer.
   *
   * @throws ConfigurationError with every problem found
   */
  public static Configuration of(String text, Path file) {
    var loader = new ConfigurationLoader();
    loader.document(file).take(text);
    return loader.loaded();
  }

  private Configuration loaded() {
    var loaded = new Configuration(settings);
    if (!problems.isEmpty()) {
      problems.addAll(EntryList.problems(loaded));
      throw new ConfigurationError(problems);
    }
    return loaded;
  }

  private void read(Path file) {
    try {
      if (Files.size(file) > MAX_BYTES) {
        problem(file.toString(), "", "larger than 1 MiB; this is not a configuration");
      } else {
        document(file).take(Files.readString(file));
      }
    } catch (IOException e) {
      String folder = Files.isDirectory(file) ? "it is a folder" : String.valueOf(e.getMessage());
      String why =
          switch (e) {
            case NoSuchFileException _ -> "no such file";
            case MalformedInputException _ -> "not UTF-8";
            case AccessDeniedException _ -> "not readable for this user; check its permissions";
            default -> "cannot be read (" + folder + "); name a file of keys and values";
          };
      problem(file.toString(), "", why);
    }
  }

  private Document document(Path file) {
    return new Document(file.toString(), file.toAbsolutePath().resolveSibling(""), true);
  }

  private void problem(String at, String key, String text) {
    problems.add(new Problem(at, key, text));
  }

  private void variable(String name, String value) {
    if (!name.startsWith(ENV_PREFIX)
        || NOT_KEYS.matcher(name).matches()
        || (name.endsWith("_PORT") && value.contains("://"))
        || value.isBlank()) {
      return;
    }
    names()
        .filter(key -> Key.variable(key).equals(name))
        .findFirst()
        .or(() ->
            name.startsWith(ENV_KAFKA)
                ? Optional.of(KafkaEntries.ofVariable(name.substring(ENV_KAFKA.length())))
                : Optional.empty())
        .ifPresentOrElse(
            key -> take(key, value.strip(), name),
            () ->
                problem(
                    "environment variable " + name,
                    name,
                    "no such key" + meant(name, Key::variable)));
  }

  private void set(String assignment) {
    int equals = assignment.indexOf('=');
    if (equals < 1) {
      problem("--set " + assignment, "", "write --set key=value, for example --set cap=3");
      return;
    }
    take(
        assignment.substring(0, equals).strip(), assignment.substring(equals + 1).strip(), "--set");
  }

  /** Takes a value of the command line or a variable; a list is YAML, as {@code [{name: a}]}. */
  private void take(String key, String value, String origin) {
    if (EntryList.under(key).isPresent()) {
      new Document(origin, Configuration.HERE, false).take(key + ": " + value);
    } else {
      put(key, new Setting(value, origin, Configuration.HERE));
    }
  }

  private void put(String name, Setting setting) {
    if (name.startsWith(KafkaEntries.PREFIX)) {
      KafkaEntries.put(settings, name, setting, problems);
      return;
    }
    var key = Keys.named(name);
    if (key.isEmpty()) {
      problem(setting.origin(), name, "no such key '" + name + "'" + meant(name, it -> it));
      return;
    }
    key.get()
        .refusal(setting.raw())
        .ifPresentOrElse(
            why -> problem(setting.origin(), name, name + " " + why),
            () -> settings.put(name, setting));
  }

  private static String meant(String typed, UnaryOperator<String> shown) {
    return ConfigurationError.meant(
        typed, names().map(shown).toList(), "; `./flyball config` lists all keys");
  }

  private static Stream<String> names() {
    return Stream.concat(
        Keys.all().stream().map(Key::name), EntryList.ALL.stream().map(EntryList::key));
  }

  /**
   * A YAML document as flat settings with their line numbers. Nested and dotted keys mean the same
   * ({@code sessions: {agent: x}} and {@code sessions.agent: x}), so Kafka's dotted property names
   * need no quotes.
   */
  private final class Document {
    private static final int MAX_DEPTH = 8;

    private final String name;
    private final Path base;

    /** Whether it has lines to name. */
    private final boolean file;

    private final Map<String, Setting> flat = new LinkedHashMap<>();
    private final Set<String> listed = new HashSet<>();

    Document(String name, Path base, boolean file) {
      this.name = name;
      this.base = base;
      this.file = file;
    }

    /** Puts what a text sets over the earlier layers; an empty list replaces theirs, too. */
    void take(String text) {
      Node root;
      try {
        root = new Yaml(new LoaderOptions()).compose(new StringReader(text));
      } catch (MarkedYAMLException e) {
        int line = e.getProblemMark() == null ? 1 : e.getProblemMark().getLine() + 1;
        problem(name + ":" + line, "", "not YAML: " + e.getProblem());
        return;
      } catch (YAMLException e) {
        problem(name, "", "not YAML: " + OneLine.first(e.getMessage()));
        return;
      }
      if (root instanceof MappingNode mapping) {
        flatten("", mapping, flat, 0);
        flat.forEach(ConfigurationLoader.this::put);
      } else if (root != null && !root.getTag().equals(Tag.NULL)) {
        problem(at(root), "", "expected keys and values, for example cap: 3");
      }
    }

    private void flatten(String prefix, MappingNode mapping, Map<String, Setting> into, int depth) {
      for (NodeTuple tuple : mapping.getValue()) {
        String at = at(tuple.getKeyNode());
        Node value = tuple.getValueNode();
        String word = scalar(tuple.getKeyNode());
        String key = prefix + word;
        Optional<EntryList<?>> list = EntryList.under(key);
        if (word == null) {
          problem(at, "", "a key must be a word");
        } else if (depth > MAX_DEPTH || value instanceof AnchorNode) {
          problem(at(value), key, key + " is nested too deeply");
        } else if (list.isPresent()) {
          list(list.get(), value);
        } else if (value instanceof MappingNode nested) {
          flatten(key + ".", nested, into, depth + 1);
        } else {
          keep(key, at, text(value), into);
        }
      }
    }

    private void keep(String key, String at, @Nullable String raw, Map<String, Setting> into) {
      Setting before = raw == null ? null : into.put(key, new Setting(raw, at, base));
      if (raw == null) {
        problem(at, key, key + " has no value; remove the key to use its default");
      } else if (before != null) {
        problem(at, key, key + " is set twice, first at " + before.origin());
      }
    }

    private void list(EntryList<?> list, Node value) {
      String key = list.key();
      if (!(value instanceof SequenceNode sequence)) {
        problem(at(value), key, key + " must be a list, for example - " + list.example());
        return;
      }
      if (!listed.add(key)) {
        problem(at(value), key, key + " is set twice");
      }
      settings.keySet().removeIf(name -> name.startsWith(key + "["));
      int count = 0;
      for (Node entry : sequence.getValue()) {
        if (entry instanceof MappingNode mapping) {
          String place = list.place(count++);
          settings.put(place, new Setting("", at(entry), base));
          flatten(place, mapping, settings, 1);
        } else {
          problem(
              at(entry),
              key,
              "an entry of " + key + " must be keys and values, for example " + list.example());
        }
      }
    }

    private static @Nullable String text(Node node) {
      if (node instanceof SequenceNode sequence) {
        List<String> all =
            sequence.getValue().stream().flatMap(it -> Stream.ofNullable(scalar(it))).toList();
        return all.size() < sequence.getValue().size() ? null : ValueType.joined(all);
      }
      return scalar(node);
    }

    private static @Nullable String scalar(Node node) {
      return node instanceof ScalarNode scalar && !scalar.getTag().equals(Tag.NULL)
          ? scalar.getValue()
          : null;
    }

    private String at(Node node) {
      return file ? name + ":" + (node.getStartMark().getLine() + 1) : name;
    }
  }
}
