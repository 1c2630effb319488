package dev.flyball.program.config;

import dev.flyball.tracker.SourceConfig;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The sources of another configuration that can take effect immediately. Runners know only since
 * their start where sessions of a source work. A source whose place has changed would be polled for
 * sessions in the wrong repository.
 *
 * @param polled what is to be polled from now on
 * @param later one phrase for each source that waits for a restart
 */
public record SourcesNow(List<SourceConfig> polled, List<String> later) {
  public SourcesNow {
    polled = List.copyOf(polled);
    later = List.copyOf(later);
  }

  /**
   * The sources of another configuration.
   *
   * @param started the configuration with which the runners were started
   * @param polled what is polled until now
   */
  public static SourcesNow of(
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
    return new SourcesNow(now, later);
  }
}
