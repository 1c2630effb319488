package dev.flyball.program.story;

import dev.flyball.program.launch.Workplace;
import dev.flyball.testkit.ProcSampler;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What /proc showed every 20 ms: which sessions had a live process, whatever the program's own
 * books say.
 */
final class SessionSampler implements AutoCloseable {
  /**
   * Every different set of live sessions, in order. Written by the sampler's thread, guarded by
   * this.
   */
  private final List<Set<String>> seen = new ArrayList<>();

  /** When each session was seen; written and guarded likewise. */
  private final Map<String, Sighting> sightings = new HashMap<>();

  private final ProcSampler sampler;

  /**
   * A session's life as /proc showed it.
   *
   * @param first end of the first look that saw it
   * @param gone end of the first look that saw it no more; null while it is there
   */
  record Sighting(Instant first, @Nullable Instant gone) {}

  private SessionSampler(String entry) {
    this.sampler = ProcSampler.every(Duration.ofMillis(20), entry, this::note);
  }

  /**
   * Watches the sessions of one workplace, which is the home of all its programs and so of their
   * agents.
   */
  static SessionSampler of(Workplace place) {
    return new SessionSampler(place.homeEntry());
  }

  private synchronized void note(Set<String> sessions) {
    Instant now = Instant.now();
    Set<String> before = now();
    sessions.stream()
        .filter(session -> !before.contains(session))
        .forEach(session ->
            sightings.merge(
                session, new Sighting(now, null), (old, again) -> new Sighting(old.first(), null)));
    before.stream()
        .filter(session -> !sessions.contains(session))
        .forEach(session ->
            sightings.computeIfPresent(session, (key, old) -> new Sighting(old.first(), now)));
    if (seen.isEmpty() || !seen.getLast().equals(sessions)) {
      seen.add(sessions);
    }
  }

  /** The sessions that were alive at the last look. */
  synchronized Set<String> now() {
    return seen.isEmpty() ? Set.of() : seen.getLast();
  }

  /** When each session was seen. */
  synchronized Map<String, Sighting> sightings() {
    return Map.copyOf(sightings);
  }

  /** The most sessions that were alive at once. */
  synchronized int most() {
    return seen.stream().mapToInt(Set::size).max().orElse(0);
  }

  /** The most live sessions of any one group at once, for example of one item. */
  synchronized int mostOf(UnaryOperator<String> groupOf) {
    int most = 0;
    for (Set<String> moment : seen) {
      Map<String, Integer> counts = new HashMap<>();
      for (String session : moment) {
        most = Math.max(most, counts.merge(groupOf.apply(session), 1, Integer::sum));
      }
    }
    return most;
  }

  @Override
  public void close() {
    sampler.close();
  }
}
