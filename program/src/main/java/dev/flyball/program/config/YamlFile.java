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
  private final List<Map<String, Setting>> sources = new ArrayList<>();
  private boolean namesSources;

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

  /** Flat keys, {@code sources} not among them. */
  Map<String, Setting> settings() {
    return settings;
  }

  /**
   * Whether there is a list of sources at all; an empty one means no sources, whatever another
   * layer names.
   */
  boolean namesSources() {
    return namesSources;
  }

  /** One map for each entry of {@code sources}. */
  List<Map<String, Setting>> sources() {
    return sources;
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
    if (depth > MAX_DEPTH || value instanceof AnchorNode) {
      problems.add(at(value) + ": " + key + " is nested too deeply");
    } else if (depth == 0 && key.equals("sources")) {
      list(value);
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

  private void list(Node value) {
    if (!(value instanceof SequenceNode sequence)) {
      problems.add(
          at(value)
              + ": sources must be a list, for example - {name: backlog, type: jsonl, path:"
              + " backlog.jsonl}");
      return;
    }
    namesSources = true;
    for (Node entry : sequence.getValue()) {
      if (entry instanceof MappingNode mapping) {
        var source = new LinkedHashMap<String, Setting>();
        source.put("", new Setting("", at(entry), base));
        flatten("", mapping, source, 1);
        sources.add(source);
      } else {
        problems.add(
            at(entry)
                + ": a source must be keys and values, for example {name: backlog, type: jsonl,"
                + " path: backlog.jsonl}");
      }
    }
  }

  private static @Nullable String value(Node node) {
    if (node instanceof SequenceNode sequence) {
      List<@Nullable String> all = new ArrayList<>();
      sequence.getValue().forEach(entry -> all.add(scalar(entry)));
      return all.contains(null) ? null : String.join(",", all);
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
