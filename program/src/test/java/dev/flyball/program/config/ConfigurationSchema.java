package dev.flyball.program.config;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.program.config.Configuration.Setting;
import dev.flyball.tracker.SourceConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The JSON Schema of flyball.yaml for editors, generated from the keys. Like the loader it accepts
 * nested and dotted names.
 */
final class ConfigurationSchema {
  /** A row of the page: one or two keys, their default, and what they mean. */
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| `([a-z0-9.-]+)`(?:, `[^|]*`)? \\| [^|]*\\| (.+) \\|$");

  /** The lists by the page's sections. */
  private static final Map<String, String> SECTIONS =
      Map.of(
          "Sources", "sources",
          "Agents", "agents",
          "Routes", "routes",
          "Notifications", "notify",
          "Tokens of the console", "console.tokens");

  private static final Map<String, String> MEANINGS = new HashMap<>();

  static {
    for (String section : page().split("\n## ")) {
      String list = SECTIONS.getOrDefault(section.lines().findFirst().orElse(""), "");
      ROW.matcher(section)
          .results()
          .forEach(row -> MEANINGS.put(list + " " + row.group(1), row.group(2)));
    }
  }

  private ConfigurationSchema() {}

  /** The page of the configuration. */
  static String page() {
    try {
      return Files.readString(Path.of("../docs/configuration.md"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The keys, each with its meaning on the page unless it says itself what it means. */
  private static List<Key<?>> explained(String list, List<Key<?>> keys) {
    return keys.stream().<Key<?>>map(key -> explained(list, key)).toList();
  }

  private static <T> Key<T> explained(String list, Key<T> key) {
    String meaning =
        key.meaning().isEmpty()
            ? MEANINGS.getOrDefault(list + " " + key.name(), "")
            : key.meaning();
    return new Key<>(key.name(), key.type(), key.initial(), meaning, key.required(), key.example());
  }

  /** The whole schema. */
  static String json() {
    var properties = new TreeMap<String, Object>();
    var dotted = new TreeMap<String, Object>();
    List<Key<?>> keys = explained("", Keys.all());
    nest("", keys.stream().filter(key -> !inList(key)).toList(), "#", properties, dotted);
    keys.stream()
        .filter(ConfigurationSchema::inList)
        .forEach(key -> dotted.put("^" + key.name().replace(".", "\\.") + "$", leaf(key)));
    properties.put(
        "kafka",
        new TreeMap<>(Map.of("type", "object", "description", "Properties of the Kafka clients")));
    properties.put("sources", new TreeMap<>(Map.of("type", "array", "items", source())));
    for (EntryList<?> each : List.of(EntryList.AGENTS, EntryList.ROUTES, EntryList.NOTIFY)) {
      properties.put(each.key(), list(each.key(), each));
    }
    nestedList(properties, dotted);
    dotted.put("^kafka\\.", Map.of());
    var schema = new LinkedHashMap<String, Object>();
    schema.put("$schema", "http://json-schema.org/draft-07/schema#");
    schema.put("title", "flyball.yaml");
    schema.put("type", List.of("object", "null"));
    schema.put("properties", properties);
    schema.put("patternProperties", dotted);
    schema.put("additionalProperties", false);
    return RecordJson.tree(schema).toPrettyString() + "\n";
  }

  /** Whether a key begins with the name of a list, so that it has a dotted name only. */
  private static boolean inList(Key<?> key) {
    return EntryList.under(key.name().split("\\.")[0]).isPresent();
  }

  /** The tokens are a list in the section of the console. */
  @SuppressWarnings("unchecked")
  private static void nestedList(Map<String, Object> properties, Map<String, Object> dotted) {
    var console = (Map<String, Object>) Objects.requireNonNull(properties.get("console"));
    var inside = (Map<String, Object>) Objects.requireNonNull(console.get("properties"));
    String place = "console/properties/tokens";
    inside.put("tokens", list(place, EntryList.TOKENS));
    dotted.put("^console\\.tokens$", Map.of("$ref", "#/properties/" + place));
  }

  /**
   * Adds the keys behind a prefix. Editors offer properties, so these have the nested names only; a
   * pattern accepts each dotted name and refers to the nested one.
   *
   * @param place of the properties' object in the schema, a JSON pointer
   */
  private static void nest(
      String prefix,
      List<Key<?>> keys,
      String place,
      Map<String, Object> properties,
      Map<String, Object> dotted) {
    for (Key<?> key : keys) {
      if (key.name().startsWith(prefix)) {
        String rest = key.name().substring(prefix.length());
        int dot = rest.indexOf('.');
        if (dot < 0) {
          properties.put(rest, leaf(key));
          continue;
        }
        String section = rest.substring(0, dot);
        String inside = place + "/properties/" + section;
        properties.computeIfAbsent(
            section, each -> object(prefix + each + ".", keys, List.of(), inside));
        for (int end = rest.length(); end > dot; end = rest.lastIndexOf('.', end - 1)) {
          String name = rest.substring(0, end);
          dotted.put(
              "^" + name.replace(".", "\\.") + "$",
              Map.of("$ref", place + "/properties/" + name.replace(".", "/properties/")));
        }
      }
    }
  }

  private static Map<String, Object> leaf(Key<?> key) {
    var leaf = new LinkedHashMap<String, Object>();
    leaf.put("description", key.meaning() + " (" + key.type().allowed() + ")");
    leaf.putAll(new TreeMap<>(key.type().schema()));
    if (key.initial() != null && !key.initial().isEmpty()) {
      leaf.put("default", initial(key.initial(), leaf.get("type")));
    }
    return leaf;
  }

  /** The default as a value of its type: an editor inserts it as it is. */
  private static Object initial(String text, @Nullable Object type) {
    return switch (String.valueOf(type)) {
      case "integer" -> Long.valueOf(text);
      case "number" -> new BigDecimal(text);
      case "boolean" -> Boolean.valueOf(text);
      default -> text;
    };
  }

  private static Map<String, Object> object(
      String prefix, List<Key<?>> keys, List<String> required, String place) {
    var properties = new TreeMap<String, Object>();
    var dotted = new TreeMap<String, Object>();
    nest(prefix, keys, place, properties, dotted);
    var object = new LinkedHashMap<String, Object>();
    object.put("type", "object");
    object.put("properties", properties);
    if (!dotted.isEmpty()) {
      object.put("patternProperties", dotted);
    }
    object.put("required", required);
    object.put("additionalProperties", false);
    return object;
  }

  /** A list whose entries all have these keys. */
  private static Map<String, Object> list(String name, EntryList<?> list) {
    List<Key<?>> keys = explained(list.key(), list.keys(Map.of()));
    List<String> required = keys.stream().filter(Key::required).<String>map(Key::name).toList();
    String place = "#/properties/" + name + "/items";
    return new TreeMap<>(Map.of("type", "array", "items", object("", keys, required, place)));
  }

  static Map<String, Setting> ofType(String type) {
    return Map.of("type", new Setting(type, "", Path.of("")));
  }

  /** An entry of sources: its type decides which keys it has. */
  private static Map<String, Object> source() {
    Key<String> kind = Section.choice(SourceConfig.class);
    String type = kind.name();
    var rules = new ArrayList<Map<String, Object>>();
    for (String label : Section.choices(SourceConfig.class).keySet()) {
      String place = "#/properties/sources/items/allOf/" + rules.size() + "/then";
      List<Key<?>> keys = explained("sources", EntryList.SOURCES.keys(ofType(label)));
      List<String> required = keys.stream().filter(Key::required).<String>map(Key::name).toList();
      var rule = new LinkedHashMap<String, Object>();
      rule.put(
          "if",
          new TreeMap<>(
              Map.of(
                  "properties", Map.of(type, Map.of("const", label)),
                  "required", List.of(type))));
      rule.put("then", object("", keys, required, place));
      rules.add(rule);
    }
    var source = new LinkedHashMap<String, Object>();
    source.put("type", "object");
    source.put("properties", Map.of(type, leaf(kind)));
    source.put("required", List.of(type));
    source.put("allOf", rules);
    return source;
  }
}
