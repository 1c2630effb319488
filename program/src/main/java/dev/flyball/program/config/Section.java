package dev.flyball.program.config;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.program.config.Configuration.Setting;
import dev.flyball.program.config.ConfigurationError.Problem;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.SourceConfig;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the program, or of one entry of a list. Makes records whose components carry a
 * {@link ConfigKey} out of them, and knows then which keys these have and everything that is wrong.
 */
final class Section {
  /** Names that people give a secret when they are about to write it into the file. */
  private static final Pattern SECRETS =
      Pattern.compile("(webhook-)?(token|secret)|password|key|api-?key|pat");

  /** The key of a command that prints a tracker's token. */
  private static final Key<Credential> COMMAND =
      new Key<>(
          "token-command",
          ValueType.SECRET_COMMAND,
          null,
          "A shell command that prints the token in its first line, within 30 s. The token is kept"
              + " until it expires (10 min if it does not say), or until the tracker rejects it",
          false,
          "");

  private final Map<String, Setting> settings;

  /** Where a problem is that no written key has. */
  private final String place;

  private final Map<String, Key<?>> keys = new LinkedHashMap<>();
  private final List<Problem> problems = new ArrayList<>();
  private List<String> missing = new ArrayList<>();

  /** What it is, for messages: for example {@code a source of type jira}. */
  private String what;

  /** Whether it is known which keys there may be: one of them may decide that. */
  private boolean known = true;

  Section(String what, Map<String, Setting> settings, String place) {
    this.what = what;
    this.settings = settings;
    this.place = place;
  }

  /**
   * The keys of a record and of the records in it.
   *
   * @param defaults a record with their defaults; null if the keys name these
   */
  static Stream<Key<?>> keys(Class<?> record, @Nullable Record defaults) {
    var none = new Section("", Map.of(), "");
    var _ = none.made(record, defaults);
    return none.keys.values().stream();
  }

  /**
   * The record of the values; components without a value keep the default.
   *
   * @throws ConfigurationError for values that do not fit each other
   */
  @SuppressWarnings("unchecked")
  <R extends Record> R over(R defaults) {
    Object made = made(defaults.getClass(), defaults);
    if (made == null) {
      throw new ConfigurationError(problems);
    }
    return (R) made;
  }

  /**
   * Reads the record of an entry.
   *
   * @param taken gets it unless something is wrong, and may reject what does not fit
   */
  <R extends Record> void entry(Class<R> record, Consumer<R> taken) {
    R made = made(record, null);
    if (known) {
      settings.keySet().stream()
          .filter(name -> !name.isEmpty() && !keys.containsKey(name))
          .forEach(name -> problem(name, unknown(name)));
      require(what, "");
    }
    if (made != null && problems.isEmpty()) {
      try {
        taken.accept(made);
      } catch (ConfigurationError | IllegalArgumentException e) {
        rejected("", e);
      }
    }
  }

  /** The keys of the record that was made, the required ones first. */
  List<Key<?>> keys() {
    return keys.values().stream()
        .sorted(Comparator.<Key<?>, Boolean>comparing(key -> !key.required()))
        .toList();
  }

  /** Everything that was found to be wrong. */
  List<Problem> problems() {
    return problems;
  }

  private boolean has(String key) {
    return settings.containsKey(key);
  }

  /** Where a key is written, else where the section begins. */
  String where(String key) {
    Setting setting = settings.get(key);
    return setting == null ? place : setting.origin();
  }

  /** The record; null if a value is wrong or missing, or if the values do not fit each other. */
  private <R> @Nullable R made(Class<R> record, @Nullable Object defaults) {
    RecordComponent[] components = record.getRecordComponents();
    Object[] values = Stream.of(components).map(each -> value(each, defaults)).toArray();
    if (!problems.isEmpty() || !missing.isEmpty()) {
      return null;
    }
    Class<?>[] types = Stream.of(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    try {
      return record.getDeclaredConstructor(types).newInstance(values);
    } catch (InvocationTargetException e) {
      // At the first key that is written: each of them may be at fault.
      rejected(
          Stream.of(components)
              .flatMap(each -> Stream.ofNullable(each.getAnnotation(ConfigKey.class)))
              .map(ConfigKey::name)
              .min(Comparator.comparing(name -> !has(name)))
              .orElse(""),
          Objects.requireNonNull(e.getCause()));
      return null;
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private @Nullable Object value(RecordComponent component, @Nullable Object defaults) {
    Object initial = defaults == null ? null : initial(component, defaults);
    ConfigKey annotation = component.getAnnotation(ConfigKey.class);
    Class<?> type = component.getType();
    if (annotation == null) {
      return type.isSealed() && defaults == null
          ? chosen(type)
          : type.isRecord() && (defaults == null || initial != null)
              ? made(type, initial)
              : initial;
    } else if (type == Credential.class) {
      return credential(annotation, component.getDeclaringRecord());
    }
    Key<?> key = known(key(annotation, ValueType.of(type, annotation), initial));
    if (key.required() && !has(key.name())) {
      missing.add(key.name());
    }
    Object value = initial != null && !has(key.name()) ? initial : parsed(key);
    return value == null ? absent(component) : value;
  }

  /** The value of a key or its default; null if there is none, or a problem with it. */
  private <T> @Nullable T parsed(Key<T> key) {
    Setting setting = settings.get(key.name());
    Optional<String> refusal = setting == null ? Optional.empty() : key.refusal(setting.raw());
    refusal.ifPresent(why -> problem(key.name(), key.name() + " " + why));
    return refusal.isPresent() ? null : key.value(setting).orElse(null);
  }

  private static @Nullable Object absent(RecordComponent component) {
    Class<?> type = component.getType();
    return component.getAnnotatedType().isAnnotationPresent(Nullable.class)
        ? null
        : type == List.class ? List.of() : type == Set.class ? Set.of() : "";
  }

  /** Where a credential is stored: in one place. A command may print a tracker's token. */
  private Credential credential(ConfigKey key, Class<?> record) {
    var places = new ArrayList<>(Key.ofSecret(key.name(), key.meaning(), key.example()));
    if (key.name().equals("token") && SourceConfig.class.isAssignableFrom(record)) {
      places.add(COMMAND);
    }
    places.forEach(this::known);
    List<Key<Credential>> written = places.stream().filter(it -> has(it.name())).toList();
    if (written.size() > 1) {
      problem(written.get(1).name(), "name one of " + names(written, " and ") + ", not both");
    } else if (written.isEmpty() && key.required()) {
      missing.add("one of " + names(places, ", "));
    }
    Credential read = written.isEmpty() ? null : parsed(written.getFirst());
    return Objects.requireNonNullElse(read, new Credential.None());
  }

  private static String names(List<? extends Key<?>> keys, String between) {
    return keys.stream().map(Key::name).collect(Collectors.joining(between));
  }

  /** The record that a key's value chooses; keys of the others would do nothing. */
  private @Nullable Object chosen(Class<?> type) {
    Map<String, Class<?>> records = choices(type);
    Key<String> choice = known(choice(type));
    String name = choice.name();
    if (choice.required() && !has(name)) {
      problem(name, what + " needs a " + name + ", " + choice.type().allowed());
    }
    String label = parsed(choice);
    Class<?> record = label == null ? null : records.get(label);
    if (choice.required()) {
      known = record != null;
      what += known ? " of " + name + " " + label : "";
      return record == null ? null : made(record, null);
    }
    List<String> others = missing;
    missing = new ArrayList<>();
    Object made = record == null ? null : made(record, null);
    require(name + ": " + label, name);
    missing = others;
    records.forEach((value, other) ->
        keys(other, null)
            .filter(key -> keys.put(key.name(), key.optional()) == null)
            .filter(key -> record != null && has(key.name()))
            .forEach(key -> problem(key.name(), key.name() + " needs " + name + ": " + value)));
    return made;
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

  private static <T> Key<T> key(ConfigKey key, ValueType<T> type, @Nullable Object initial) {
    String usual = key.initial().isEmpty() ? null : key.initial();
    String text = initial == null ? usual : ValueType.text(initial, key.unit());
    return new Key<>(key.name(), type, text, key.meaning(), key.required(), key.example());
  }

  private static @Nullable Object initial(RecordComponent component, Object defaults) {
    try {
      return component.getAccessor().invoke(defaults);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }

  private <K extends Key<?>> K known(K key) {
    keys.put(key.name(), key);
    return key;
  }

  private String unknown(String name) {
    return SECRETS.matcher(name).matches() && keys.containsKey("token-env")
        ? "a secret does not belong into the configuration; name the environment variable that"
            + " holds it with token-env, or the file with token-file, instead of "
            + name
        : "no such key '"
            + name
            + "' in "
            + what
            + ConfigurationError.meant(name, keys.keySet(), "; it has " + names(keys(), ", "));
  }

  private void require(String needing, String at) {
    if (!missing.isEmpty()) {
      problem(at, needing + " needs " + String.join(" and ", missing));
    }
  }

  /** Adds why values do not fit each other. */
  private void rejected(String key, Throwable why) {
    switch (why) {
      case ConfigurationError error ->
          error.problems().forEach(each -> problem(each.key(), each.text()));
      case IllegalArgumentException _, ArithmeticException _ ->
          problem(key, String.valueOf(why.getMessage()));
      default -> throw new IllegalStateException(why);
    }
  }

  private void problem(String key, String text) {
    problems.add(new Problem(where(key), key, text));
  }
}
