package dev.flyball.program.config;

import dev.flyball.program.config.Configuration.Setting;
import dev.flyball.tracker.SourceConfig;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Changes of the configuration that a running service cannot apply, with what makes them take
 * effect. What the producer applies immediately is not among them; for sources, see {@link
 * Sources}.
 */
public final class LaterChanges {
  private static final Set<String> TAKEN_UP =
      Set.of("tenant", "breaker.failures", "breaker.open", "text.limit", "fingerprint.fields");

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
        .filter(key -> !TAKEN_UP.contains(key.name()))
        .forEach(key -> configuration.find(key).ifPresent(value -> values.put(key.name(), value)));
    configuration
        .lists()
        .forEach((list, entries) -> {
          if (!list.equals(EntryList.SOURCES.key()) && !entries.isEmpty()) {
            values.put(list, entries.stream().map(LaterChanges::written).toList());
          }
        });
    new TreeMap<>(configuration.kafka())
        .forEach((name, setting) -> values.put("kafka." + name, setting.raw()));
    return values;
  }

  private static Map<String, String> written(Map<String, Setting> entry) {
    return entry.entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, each -> each.getValue().raw()));
  }

  /**
   * The sources of another configuration that can take effect immediately. Runners know only since
   * their start where sessions of a source work. A source whose place has changed would be polled
   * for sessions in the wrong repository.
   *
   * @param polled what is to be polled from now on
   * @param later one phrase for each source that waits for a restart
   */
  public record Sources(List<SourceConfig> polled, List<String> later) {
    public Sources {
      polled = List.copyOf(polled);
      later = List.copyOf(later);
    }

    /**
     * What those of another configuration are.
     *
     * @param started the configuration with which the runners were started
     * @param polled what is polled until now
     */
    public static Sources of(
        Configuration started, Configuration next, Collection<SourceConfig> polled) {
      Map<String, SourceConfig> configured =
          polled.stream().collect(Collectors.toMap(SourceConfig::key, it -> it));
      var places = new LinkedHashMap<String, ConfiguredSource>();
      ConfiguredSource.all(started).forEach(source -> places.put(source.source().key(), source));
      var now = new ArrayList<SourceConfig>();
      var later = new ArrayList<String>();
      for (ConfiguredSource source : ConfiguredSource.all(next)) {
        String key = source.source().key();
        SourceConfig kept = configured.get(key);
        ConfiguredSource before = places.get(key);
        if (source.place().equals(before == null ? ConfiguredSource.Place.USUAL : before.place())) {
          now.add(source.source());
        } else {
          later.add(
              "source "
                  + key
                  + ": its repository counts from the next start; "
                  + (kept == null ? "not polled until then" : "polled as before until then"));
          if (kept != null) {
            now.add(kept);
          }
        }
      }
      return new Sources(now, later);
    }
  }
}
