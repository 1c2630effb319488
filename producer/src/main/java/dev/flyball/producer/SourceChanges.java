package dev.flyball.producer;

import dev.flyball.tracker.SourceConfig;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * How another configuration changes the polled sources.
 *
 * @param added sources that were not there
 * @param changed sources that are read differently
 * @param removed keys of sources that are no longer configured
 */
public record SourceChanges(
    List<SourceConfig> added, List<SourceConfig> changed, List<String> removed) {

  public SourceChanges {
    added = List.copyOf(added);
    changed = List.copyOf(changed);
    removed = List.copyOf(removed);
  }

  /** The changes from one configuration to the next. */
  public static SourceChanges between(ProducerConfig before, ProducerConfig next) {
    Map<String, SourceConfig> left = new LinkedHashMap<>();
    before.sources().forEach(source -> left.put(source.key(), source));
    var added = new ArrayList<SourceConfig>();
    var changed = new ArrayList<SourceConfig>();
    for (SourceConfig source : next.sources()) {
      SourceConfig was = left.remove(source.key());
      if (was == null) {
        added.add(source);
      } else if (!was.equals(source)
          || before.textLimit() != next.textLimit()
          || !Objects.equals(before.breakerOf(was), next.breakerOf(source))
          || !fields(before, was).equals(fields(next, source))) {
        changed.add(source);
      }
    }
    return new SourceChanges(added, changed, List.copyOf(left.keySet()));
  }

  /** The fingerprint's fields of a source: its own, or the producer's where it names none. */
  private static List<String> fields(ProducerConfig config, SourceConfig source) {
    List<String> own = source.rules().fingerprintFields();
    return own.isEmpty() ? config.fingerprintFields() : own;
  }

  /** Whether nothing changed. */
  public boolean none() {
    return added.isEmpty() && changed.isEmpty() && removed.isEmpty();
  }

  /** One line for a person. */
  public String text() {
    var parts = new ArrayList<String>();
    added.forEach(source -> parts.add("added " + source.key()));
    changed.forEach(source -> parts.add("changed " + source.key()));
    removed.forEach(key -> parts.add("removed " + key));
    return parts.isEmpty() ? "no source changed" : String.join(", ", parts);
  }
}
