package dev.flyball.program.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Changes of the configuration that a running service cannot apply, with what makes them take
 * effect. What the producer applies immediately is not among them; for sources, see {@link
 * SourcesNow}.
 */
public final class LaterChanges {
  private static final Set<Key<?>> TAKEN_UP =
      Set.of(
          Keys.TENANT,
          Keys.BREAKER_FAILURES,
          Keys.BREAKER_OPEN,
          Keys.TEXT_LIMIT,
          Keys.FINGERPRINT_FIELDS);

  private LaterChanges() {}

  /** One phrase for each way to make a change take effect; empty if there is no such change. */
  public static List<String> between(Configuration running, Configuration next) {
    var phrases = new ArrayList<String>();
    var restart = new ArrayList<String>();
    for (Key<?> key : Keys.all()) {
      if (!TAKEN_UP.contains(key) && !value(running, key).equals(value(next, key))) {
        if (key.equals(Keys.CAP)) {
          phrases.add("cap takes effect with `flyball cap " + next.get(Keys.CAP) + "`");
        } else {
          restart.add(key.name());
        }
      }
    }
    changedLists(running, next).forEach(restart::add);
    changedKafka(running, next).forEach(name -> restart.add("kafka." + name));
    if (!restart.isEmpty()) {
      phrases.add(
          String.join(", ", restart) + (restart.size() == 1 ? " needs" : " need") + " a restart");
    }
    return phrases;
  }

  /** The parsed value: 300s instead of 5m is not a change. */
  private static Optional<?> value(Configuration configuration, Key<?> key) {
    return configuration.find(key);
  }

  /** The lists whose values have changed; the producer takes up its sources by itself. */
  private static List<String> changedLists(Configuration running, Configuration next) {
    return ListEntry.EXAMPLES.keySet().stream()
        .filter(name -> !name.equals("sources"))
        .filter(name -> !written(running, name).equals(written(next, name)))
        .sorted()
        .toList();
  }

  private static List<Map<String, String>> written(Configuration configuration, String list) {
    return configuration.list(list).stream()
        .map(entry -> {
          Map<String, String> values = new TreeMap<>();
          entry.forEach((key, setting) -> values.put(key, setting.raw()));
          return values;
        })
        .toList();
  }

  private static Set<String> changedKafka(Configuration running, Configuration next) {
    var names = new TreeSet<String>(running.kafka().keySet());
    names.addAll(next.kafka().keySet());
    names.removeIf(
        name -> Objects.equals(raw(running.kafka().get(name)), raw(next.kafka().get(name))));
    return names;
  }

  private static @Nullable String raw(@Nullable Setting setting) {
    return setting == null ? null : setting.raw();
  }
}
