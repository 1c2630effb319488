package dev.flyball.program.config;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.tracker.Credential;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the keys of records whose components carry a {@link ConfigKey}, and makes such records. */
final class KeyedRecords {
  /** The key of a command that prints a tracker's token. */
  private static final Key<String> COMMAND =
      new Key<>(
          "token-command",
          ValueType.TEXT,
          null,
          "A shell command that prints the token in its first line, within 30 s. The token is kept"
              + " until it expires (10 min if it does not say), or until the tracker rejects it",
          false,
          "az account get-access-token --resource 499b84ac-1321-427f-aa17-267ca6975798 --query"
              + " accessToken -o tsv");

  private KeyedRecords() {}

  /** The keys of a record and of the records in it, with the record's values as defaults. */
  static Stream<Key<?>> keys(Record defaults) {
    return keys(defaults.getClass(), defaults, null);
  }

  /**
   * The keys of a record that has no default instance, and of the records in it, the required ones
   * first.
   *
   * @param kind the value of the key that decides which ones there are, null if there is none
   */
  static List<Key<?>> keys(Class<?> record, @Nullable String kind) {
    return keys(record, null, kind)
        .sorted(Comparator.<Key<?>, Boolean>comparing(key -> !key.required()))
        .toList();
  }

  private static Stream<Key<?>> keys(
      Class<?> record, @Nullable Record defaults, @Nullable String kind) {
    return Stream.of(record.getRecordComponents())
        .flatMap(component -> {
          Object initial = defaults == null ? null : value(component, defaults);
          ConfigKey key = component.getAnnotation(ConfigKey.class);
          Class<?> type = component.getType();
          if (key != null) {
            return type == Credential.class
                ? credential(key)
                : Stream.of(key(key, ValueType.of(type, key), initial));
          } else if (isChoice(type)) {
            return Stream.concat(Stream.of(choice(type)), ofChoices(type, kind));
          }
          return type.isRecord() && (defaults == null || initial != null)
              ? keys(type, (Record) initial, kind)
              : Stream.empty();
        });
  }

  /** The keys of what is chosen; of a choice that has a default, those of all, which none needs. */
  private static Stream<Key<?>> ofChoices(Class<?> type, @Nullable String kind) {
    Map<String, Class<?>> choices = choices(type);
    if (!choice(type).required()) {
      return choices.values().stream().flatMap(each -> keys(each, null, kind)).map(Key::optional);
    }
    Class<?> chosen = choices.get(String.valueOf(kind));
    return chosen == null ? Stream.empty() : keys(chosen, null, kind);
  }

  private static <T> Key<T> key(ConfigKey key, ValueType<T> type, @Nullable Object initial) {
    String usual = key.initial().isEmpty() ? null : key.initial();
    String text = initial == null ? usual : ValueType.text(initial, key.unit());
    return new Key<>(key.name(), type, text, key.meaning(), key.required(), key.example());
  }

  /** The keys that say where a credential is stored; a command may print a tracker's token. */
  private static Stream<Key<?>> credential(ConfigKey key) {
    Stream<Key<?>> places =
        Stream.of(Key.variable(key.name(), key.meaning(), key.example()), Key.file(key.name()));
    return key.name().equals("token") ? Stream.concat(places, Stream.of(COMMAND)) : places;
  }

  private static boolean isChoice(Class<?> type) {
    return type.isSealed() && type.isAnnotationPresent(ConfigKey.class);
  }

  /** The key whose value decides which keys an entry has; empty if they are always the same. */
  static Optional<Key<String>> kind(Class<?> record) {
    return Stream.of(record.getRecordComponents())
        .map(RecordComponent::getType)
        .filter(KeyedRecords::isChoice)
        .map(KeyedRecords::choice)
        .filter(Key::required)
        .findFirst();
  }

  /** The key whose value chooses one of a sealed interface's records. */
  static Key<String> choice(Class<?> type) {
    String[] values = choices(type).keySet().toArray(String[]::new);
    return key(type.getAnnotation(ConfigKey.class), ValueType.oneOf(values), null);
  }

  /** The records of a sealed interface, by the value that chooses each, as they are declared. */
  static Map<String, Class<?>> choices(Class<?> type) {
    var choices = new LinkedHashMap<String, Class<?>>();
    for (Class<?> record : type.getPermittedSubclasses()) {
      choices.put(record.getAnnotation(ConfigKey.class).name(), record);
    }
    return choices;
  }

  /**
   * The record with the configured values in it; components without a key keep their value.
   *
   * @throws Rejected for values that do not fit each other
   */
  @SuppressWarnings("unchecked")
  static <R extends Record> R filled(R defaults, Configuration configuration) {
    var values = new ArrayList<@Nullable Object>();
    for (RecordComponent component : defaults.getClass().getRecordComponents()) {
      values.add(filled(component, value(component, defaults), configuration));
    }
    return (R) made(defaults.getClass(), values);
  }

  /**
   * A record of the values of its components.
   *
   * @throws Rejected with its keys, for values that do not fit each other
   */
  static <R> R made(Class<R> record, List<@Nullable Object> values) {
    RecordComponent[] components = record.getRecordComponents();
    Class<?>[] types = Stream.of(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    try {
      return record.getDeclaredConstructor(types).newInstance(values.toArray());
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof IllegalArgumentException
          || e.getCause() instanceof ArithmeticException) {
        throw new Rejected(
            Stream.of(components)
                .flatMap(each -> Stream.ofNullable(each.getAnnotation(ConfigKey.class)))
                .map(ConfigKey::name)
                .toList(),
            String.valueOf(e.getCause().getMessage()));
      }
      throw new IllegalStateException(e);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private static @Nullable Object filled(
      RecordComponent component, @Nullable Object initial, Configuration configuration) {
    ConfigKey key = component.getAnnotation(ConfigKey.class);
    if (key != null) {
      return Keys.named(key.name())
          .filter(configuration::isSet)
          .<Object>flatMap(configuration::find)
          .or(() -> Optional.ofNullable(initial))
          .orElse(null);
    }
    return initial instanceof Record nested ? filled(nested, configuration) : initial;
  }

  private static @Nullable Object value(RecordComponent component, Record record) {
    try {
      return component.getAccessor().invoke(record);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
