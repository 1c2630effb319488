package dev.flyball.program.config;

import dev.flyball.program.config.Configuration.Setting;
import dev.flyball.tracker.SourceConfig;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

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
    var changed = new ArrayList<String>();
    for (Key<?> key : Keys.all()) {
      // Values are compared, for 300s instead of 5m is not a change.
      if (!TAKEN_UP.contains(key.name()) && !running.find(key).equals(next.find(key))) {
        changed.add(key.name());
      }
    }
    for (EntryList<?> list : EntryList.ALL) {
      if (!list.equals(EntryList.SOURCES) && !written(running, list).equals(written(next, list))) {
        changed.add(list.key());
      }
    }
    var properties = new TreeSet<>(running.kafka().keySet());
    properties.addAll(next.kafka().keySet());
    properties.removeIf(name -> raw(running.kafka().get(name)).equals(raw(next.kafka().get(name))));
    properties.forEach(name -> changed.add("kafka." + name));
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

  private static List<Map<String, String>> written(Configuration configuration, EntryList<?> list) {
    return configuration.lists().getOrDefault(list.key(), List.of()).stream()
        .map(entry ->
            entry.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, each -> each.getValue().raw())))
        .toList();
  }

  private static Optional<String> raw(@Nullable Setting setting) {
    return Optional.ofNullable(setting).map(Setting::raw);
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
      Map<String, ConfiguredSource.Place> places =
          ConfiguredSource.all(started).stream()
              .collect(Collectors.toMap(it -> it.source().key(), ConfiguredSource::place));
      var now = new ArrayList<SourceConfig>();
      var later = new ArrayList<String>();
      for (ConfiguredSource source : ConfiguredSource.all(next)) {
        String key = source.source().key();
        if (source.place().equals(places.getOrDefault(key, ConfiguredSource.Place.USUAL))) {
          now.add(source.source());
          continue;
        }
        Optional<SourceConfig> kept =
            polled.stream().filter(it -> it.key().equals(key)).findFirst();
        kept.ifPresent(now::add);
        later.add(
            "source "
                + key
                + ": its repository counts from the next start; "
                + (kept.isPresent() ? "polled as before until then" : "not polled until then"));
      }
      return new Sources(now, later);
    }
  }
}
