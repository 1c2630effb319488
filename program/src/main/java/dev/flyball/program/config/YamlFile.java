package dev.flyball.program.config;

import dev.flyball.contract.text.OneLine;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.MalformedInputException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
 * A YAML document as flat settings with their line numbers. Nested and dotted keys mean the same
 * ({@code sessions: {agent: x}} and {@code sessions.agent: x}), so Kafka's dotted property names
 * need no quotes.
 */
final class YamlFile {
  private static final int MAX_DEPTH = 8;
  private static final int MAX_BYTES = 1 << 20;

  private final String name;
  private final Path base;
  private final List<String> problems;
  private final Map<String, Setting> settings = new LinkedHashMap<>();
  private final Map<String, List<Map<String, Setting>>> lists = new LinkedHashMap<>();

  private YamlFile(String name, Path base, List<String> problems) {
    this.name = name;
    this.base = base;
    this.problems = problems;
  }

  /** Reads a file; problems with it are added to the list. */
  static YamlFile read(Path file, String shownAs, List<String> problems) {
    Path folder = file.toAbsolutePath().getParent();
    var yaml = new YamlFile(shownAs, folder == null ? Path.of("/") : folder, problems);
    try {
      if (Files.size(file) > MAX_BYTES) {
        problems.add(shownAs + ": larger than 1 MiB; this is not a configuration");
      } else {
        yaml.take(Files.readString(file));
      }
    } catch (NoSuchFileException e) {
      problems.add(shownAs + ": no such file");
    } catch (MalformedInputException e) {
      problems.add(shownAs + ": not UTF-8");
    } catch (AccessDeniedException e) {
      problems.add(shownAs + ": not readable for this user; check its permissions");
    } catch (IOException e) {
      String why = Files.isDirectory(file) ? "it is a folder" : String.valueOf(e.getMessage());
      problems.add(shownAs + ": cannot be read (" + why + "); name a file of keys and values");
    }
    return yaml;
  }

  /**
   * Reads the value of one key from a command line or variable, for example {@code [{name: a}]}.
   */
  static YamlFile inline(String key, String value, String origin, List<String> problems) {
    var yaml = new YamlFile(origin, Path.of("").toAbsolutePath(), problems);
    yaml.take(key + ": " + value);
    return yaml;
  }

  /** Flat keys, the lists not among them. */
  Map<String, Setting> settings() {
    return settings;
  }

  /**
   * The lists that are written, each with one map for each entry. An empty list replaces that of
   * another layer, and a list that is not written does not.
   */
  Map<String, List<Map<String, Setting>>> lists() {
    return lists;
  }

  private void take(String text) {
    Node root;
    try {
      root = new Yaml(new LoaderOptions()).compose(new StringReader(text));
    } catch (MarkedYAMLException e) {
      int line = e.getProblemMark() == null ? 1 : e.getProblemMark().getLine() + 1;
      problems.add(name + ":" + line + ": not YAML: " + e.getProblem());
      return;
    } catch (YAMLException e) {
      problems.add(name + ": not YAML: " + OneLine.first(e.getMessage()));
      return;
    }
    if (root instanceof MappingNode mapping) {
      flatten("", mapping, settings, 0);
    } else if (root != null && !root.getTag().equals(Tag.NULL)) {
      problems.add(at(root) + ": expected keys and values, for example cap: 3");
    }
  }

  private void flatten(String prefix, MappingNode mapping, Map<String, Setting> into, int depth) {
    for (NodeTuple tuple : mapping.getValue()) {
      String key = scalar(tuple.getKeyNode());
      if (key == null) {
        problems.add(at(tuple.getKeyNode()) + ": a key must be a word");
      } else {
        entry(prefix + key, tuple, into, depth);
      }
    }
  }

  private void entry(String key, NodeTuple tuple, Map<String, Setting> into, int depth) {
    Node value = tuple.getValueNode();
    Optional<String> removed =
        into.containsKey("") ? Optional.empty() : ConfigurationLoader.removed(key);
    if (removed.isPresent()) {
      problems.add(at(tuple.getKeyNode()) + removed.get());
    } else if (depth > MAX_DEPTH || value instanceof AnchorNode) {
      problems.add(at(value) + ": " + key + " is nested too deeply");
    } else if (!into.containsKey("") && ListEntry.EXAMPLES.containsKey(key)) {
      // An entry of a list, which has no further lists, is marked by its empty key.
      list(key, value);
    } else if (value instanceof MappingNode nested) {
      flatten(key + ".", nested, into, depth + 1);
    } else {
      put(key, tuple, into);
    }
  }

  private void put(String key, NodeTuple tuple, Map<String, Setting> into) {
    String raw = value(tuple.getValueNode());
    if (raw == null) {
      problems.add(
          at(tuple.getKeyNode()) + ": " + key + " has no value; remove the key to use its default");
      return;
    }
    Setting before = into.put(key, new Setting(raw, at(tuple.getKeyNode()), base));
    if (before != null) {
      problems.add(
          at(tuple.getKeyNode()) + ": " + key + " is set twice, first at " + before.origin());
    }
  }

  private void list(String key, Node value) {
    String example = ListEntry.EXAMPLES.get(key);
    if (!(value instanceof SequenceNode sequence)) {
      problems.add(at(value) + ": " + key + " must be a list, for example - " + example);
      return;
    }
    List<Map<String, Setting>> entries = new ArrayList<>();
    for (Node entry : sequence.getValue()) {
      if (entry instanceof MappingNode mapping) {
        var settings = new LinkedHashMap<String, Setting>();
        settings.put("", new Setting("", at(entry), base));
        flatten("", mapping, settings, 1);
        entries.add(settings);
      } else {
        problems.add(
            at(entry)
                + ": an entry of "
                + key
                + " must be keys and values, for example "
                + example);
      }
    }
    if (lists.put(key, entries) != null) {
      problems.add(at(value) + ": " + key + " is set twice");
    }
  }

  private static @Nullable String value(Node node) {
    if (node instanceof SequenceNode sequence) {
      List<String> all = new ArrayList<>();
      sequence.getValue().forEach(entry -> Optional.ofNullable(scalar(entry)).ifPresent(all::add));
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
    return name.startsWith("-") || name.startsWith("FLYBALL_")
        ? name
        : name + ":" + (node.getStartMark().getLine() + 1);
  }
}
