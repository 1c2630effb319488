package dev.flyball.program.config;

import dev.flyball.program.config.ConfigurationError.Problem;
import dev.flyball.tracker.Credential;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Every value with its source, checked one by one. Immutable; a run keeps the one it began with.
 *
 * @param settings the set values by their whole names, for example {@code cap}, {@code
 *     kafka.linger.ms} or {@code sources[0].name}, and where an entry begins by {@code
 *     sources[0].}; defaults are not among them
 */
public record Configuration(Map<String, Setting> settings) {
  /** The source of a value that was not set. */
  static final String DEFAULT_ORIGIN = "default";

  /** What the producer takes up by itself when it changes. */
  private static final Set<String> TAKEN_UP =
      Set.of(
          "tenant",
          "breaker.failures",
          "breaker.open",
          "text.limit",
          "fingerprint.fields",
          EntryList.SOURCES.key());

  private static final String KAFKA = KafkaEntries.PREFIX;

  /** The folder that relative paths count from which no file names. */
  static final Path HERE = Path.of("").toAbsolutePath();

  public Configuration {
    settings = Map.copyOf(settings);
  }

  /**
   * The value of a key that has a default.
   *
   * @throws IllegalStateException if it has none; use {@link #find}
   */
  public <T> T get(Key<T> key) {
    return find(key).orElseThrow(() -> new IllegalStateException(key + " has no default"));
  }

  /** The value of a key, empty if it has no default and was not set. */
  public <T> Optional<T> find(Key<T> key) {
    return key.value(settings.get(key.name()));
  }

  /** Whether the key was set. */
  public boolean isSet(Key<?> key) {
    return settings.containsKey(key.name());
  }

  /** Where a secret is stored. */
  Credential credential(List<Key<Credential>> places) {
    return places.reversed().stream()
        .filter(this::isSet)
        .findFirst()
        .map(this::get)
        .orElse(new Credential.None());
  }

  /** The values of the keys of a record; others keep its own. */
  <R extends Record> R over(R defaults) {
    return new Section("", settings, "").over(defaults);
  }

  /** Where a key's value comes from, for example {@code flyball.yaml:3} or {@code default}. */
  public String origin(Key<?> key) {
    Setting setting = settings.get(key.name());
    return setting == null ? DEFAULT_ORIGIN : setting.origin();
  }

  /** What is wrong with the value of a key, with the place where it was set. */
  public ConfigurationError error(Key<?> key, String text) {
    return new ConfigurationError(List.of(new Problem(origin(key), key.name(), text)));
  }

  /** The Kafka properties of a role: {@code kafka.x}, and {@code kafka.<role>.x} over them. */
  public Map<String, String> kafka(String role) {
    var all = new HashMap<String, String>();
    under(KAFKA)
        .forEach((name, setting) -> {
          if (KafkaEntries.withoutRole(name).equals(name)) {
            all.put(name, setting.raw());
          }
        });
    under(KAFKA + role + ".").forEach((name, setting) -> all.put(name, setting.raw()));
    return Map.copyOf(all);
  }

  /** What is written in each entry of a list, and under the empty name where it begins. */
  List<Map<String, Setting>> entries(EntryList<?> list) {
    return Stream.iterate(0, i -> settings.containsKey(list.place(i)), i -> i + 1)
        .map(i -> under(list.place(i)))
        .toList();
  }

  /** What is set below a name, by the rest of its name. */
  private Map<String, Setting> under(String prefix) {
    var all = new TreeMap<String, Setting>();
    settings.forEach((name, setting) -> {
      if (name.startsWith(prefix)) {
        all.put(name.substring(prefix.length()), setting);
      }
    });
    return all;
  }

  /** This configuration with what the other sets below these beginnings of names. */
  public Configuration taking(Configuration other, List<String> beginnings) {
    var more = new HashMap<>(settings);
    other.settings.forEach((name, setting) -> {
      if (beginnings.stream().anyMatch(name::startsWith)) {
        more.put(name, setting);
      }
    });
    return new Configuration(more);
  }

  /**
   * This configuration with one more value, as the command line gives it.
   *
   * @throws ConfigurationError if the key's type rejects it
   */
  public Configuration with(Key<?> key, String raw, String origin) {
    key.refusal(raw)
        .ifPresent(why -> {
          throw new ConfigurationError(List.of(new Problem(origin, key.name(), why)));
        });
    var more = new HashMap<>(settings);
    more.put(key.name(), new Setting(raw, origin, HERE));
    return new Configuration(more);
  }

  /** This configuration with these Kafka properties for every role, whatever they were before. */
  public Configuration withKafka(Map<String, String> properties, String origin) {
    var more = new HashMap<>(settings);
    properties.forEach((property, value) -> {
      more.keySet().removeIf(name -> name.startsWith(KAFKA) && name.endsWith("." + property));
      more.put(KAFKA + property, new Setting(value, origin, HERE));
    });
    return new Configuration(more);
  }

  /**
   * What of another configuration a running service cannot take up, one phrase for each way to make
   * it take effect. What the producer applies immediately is not among it; for sources, see {@link
   * ConfiguredSource.Reload}.
   */
  public List<String> later(Configuration next) {
    var names = new HashSet<>(settings.keySet());
    names.addAll(next.settings.keySet());
    names.removeIf(name -> value(name).equals(next.value(name)));
    var changed = new TreeSet<String>();
    names.forEach(name -> changed.add(name.replaceFirst("\\[.*", "")));
    changed.removeAll(TAKEN_UP);
    var phrases = new ArrayList<String>();
    if (changed.remove(Keys.CAP.name())) {
      phrases.add("cap takes effect with `flyball cap " + next.get(Keys.CAP) + "`");
    }
    if (!changed.isEmpty()) {
      phrases.add(
          String.join(", ", changed) + (changed.size() == 1 ? " needs" : " need") + " a restart");
    }
    return phrases;
  }

  /** Values are compared, for 300s instead of 5m is not a change. */
  private Optional<?> value(String name) {
    Optional<Key<?>> key = Keys.named(name);
    return key.isPresent()
        ? find(key.get())
        : Optional.ofNullable(settings.get(name)).map(Setting::raw);
  }

  /** This configuration on an embedded Kafka, which has no second broker to keep a copy. */
  public Configuration onEmbedded(Map<String, String> properties, String origin) {
    return withKafka(properties, origin).with(Keys.TOPICS_REPLICATION, "1", origin);
  }

  /** The servers configured for every role; empty if there are none. */
  public Optional<String> bootstrapServers() {
    return Optional.ofNullable(settings.get("kafka.bootstrap.servers")).map(Setting::raw);
  }

  /** The servers that are configured for every role or for one of them. */
  public List<Row> servers() {
    return rows().stream()
        .filter(row -> row.key().startsWith(KAFKA) && row.key().endsWith(".bootstrap.servers"))
        .toList();
  }

  /** One row a key: its value and from where. Secrets of Kafka properties are hidden. */
  public List<Row> rows() {
    var rows = new ArrayList<Row>();
    Keys.all().forEach(key -> rows.add(row(key.name(), key, settings.get(key.name()))));
    under(KAFKA)
        .forEach((name, setting) ->
            rows.add(
                new Row(
                    KAFKA + name,
                    KafkaEntries.secret(name) ? "(hidden)" : setting.raw(),
                    setting.origin())));
    EntryList.ALL.forEach(list -> rows.addAll(list.rows(this)));
    return rows;
  }

  /** The row of a key under the name by which it is set; without a setting it shows the default. */
  static Row row(String name, Key<?> key, @Nullable Setting setting) {
    return setting == null
        ? new Row(name, Objects.requireNonNullElse(key.initial(), ""), DEFAULT_ORIGIN)
        : new Row(name, key.type().shown(setting.raw()), setting.origin());
  }

  /** The value of one key, as {@code config} shows it. */
  public record Row(String key, String value, String source) {}

  /**
   * A value as it was written.
   *
   * @param raw the text; a list is joined by commas
   * @param origin where it was written, for example {@code flyball.yaml:3}, {@code FLYBALL_CAP},
   *     {@code --set}, {@code default}
   * @param base the folder that a relative path counts from
   */
  record Setting(String raw, String origin, Path base) {}
}
