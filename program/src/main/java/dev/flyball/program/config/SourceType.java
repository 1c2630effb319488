package dev.flyball.program.config;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.OptIn;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceConfig.Identity;
import dev.flyball.tracker.SourceRules;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A type of source: one of {@link SourceConfig}'s records, whose components are its keys.
 *
 * @param label its value of {@code type}
 * @param own the keys of this type alone, the required ones first
 */
record SourceType(String label, Class<?> record, List<Key<?>> own) {
  /** The key whose value is the label of a type. */
  static final Key<String> TYPE = KeyedRecords.choice(SourceConfig.class);

  /** The keys of every type, in the order in which people read them. */
  static final List<Key<?>> COMMON = common();

  /** Every type. */
  static final List<SourceType> ALL =
      KeyedRecords.choices(SourceConfig.class).entrySet().stream()
          .map(type -> new SourceType(type.getKey(), type.getValue(), own(type.getValue())))
          .toList();

  static Optional<SourceType> named(String label) {
    return ALL.stream().filter(type -> type.label.equals(label)).findFirst();
  }

  private static List<Key<?>> common() {
    var common = new LinkedHashMap<String, Key<?>>();
    Stream.of(
            KeyedRecords.keys(Identity.class),
            Stream.of(TYPE),
            KeyedRecords.keys(OptIn.class),
            KeyedRecords.keys(ConfiguredSource.Place.class),
            KeyedRecords.keys(SourceRules.class))
        .flatMap(keys -> keys)
        .forEach(key -> common.putIfAbsent(key.name(), key));
    return requiredFirst(common.values().stream());
  }

  private static List<Key<?>> own(Class<?> record) {
    List<String> common = COMMON.stream().<String>map(Key::name).toList();
    return requiredFirst(KeyedRecords.keys(record).filter(key -> !common.contains(key.name())));
  }

  private static List<Key<?>> requiredFirst(Stream<? extends Key<?>> keys) {
    return keys.<Key<?>>map(key -> key)
        .sorted(Comparator.comparing(key -> !key.required()))
        .toList();
  }

  /** Every key that such a source may have. */
  List<Key<?>> keys() {
    return Stream.concat(COMMON.stream(), own.stream()).toList();
  }

  /** The shortest interval of polls. */
  Duration floor() {
    return record == SourceConfig.Jsonl.class
        ? SourceConfig.Jsonl.FLOOR
        : SourceConfig.TRACKER_FLOOR;
  }

  /** Whether an analysis can become a comment there: only by a request with a credential. */
  boolean comments() {
    return credential().isPresent();
  }

  /** Whether it cannot be read anonymously. */
  boolean needsCredential() {
    return credential().filter(ConfigKey::required).isPresent();
  }

  private Optional<ConfigKey> credential() {
    return Stream.of(record.getRecordComponents())
        .filter(component -> component.getType() == Credential.class)
        .map(component -> Objects.requireNonNull(component.getAnnotation(ConfigKey.class)))
        .findFirst();
  }
}
