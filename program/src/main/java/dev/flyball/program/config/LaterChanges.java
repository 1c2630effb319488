package dev.flyball.program.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
    Map<String, Object> before = values(running);
    Map<String, Object> after = values(next);
    var changed = new LinkedHashSet<String>(after.keySet());
    changed.addAll(before.keySet());
    changed.removeIf(name -> Objects.equals(before.get(name), after.get(name)));
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

  /**
   * The parsed values, for 300s instead of 5m is not a change, without those that the producer
   * takes up by itself.
   */
  private static Map<String, Object> values(Configuration configuration) {
    var values = new LinkedHashMap<String, Object>();
    Keys.all().stream()
        .filter(key -> !TAKEN_UP.contains(key))
        .forEach(key -> configuration.find(key).ifPresent(value -> values.put(key.name(), value)));
    Stream.of(EntryList.values())
        .filter(list -> list != EntryList.SOURCES)
        .map(EntryList::key)
        .forEach(list ->
            values.put(
                list, configuration.list(list).stream().map(LaterChanges::written).toList()));
    new TreeMap<>(configuration.kafka())
        .forEach((name, setting) -> values.put("kafka." + name, setting.raw()));
    return values;
  }

  private static Map<String, String> written(Map<String, Setting> entry) {
    return entry.entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, each -> each.getValue().raw()));
  }
}
