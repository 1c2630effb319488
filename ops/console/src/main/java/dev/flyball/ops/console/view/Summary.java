package dev.flyball.ops.console.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The overall figures: the head of the page, and the figures of the metrics.
 *
 * @param live open leases
 * @param cap the cap in force
 * @param items how many items are in each state; absent states have none
 * @param backlog items that are not settled
 * @param oldest since when the oldest of them waits
 * @param ended sessions by the name of their outcome, since the projection began
 * @param costMicros spend of ended sessions and triage, in micro-dollars
 * @param deadLetters records in dead-letters, since the projection began
 * @param pauses scopes that are paused, by scope
 * @param runners runners that announced themselves
 * @param broken invariants that are broken, one line each
 * @param asOf when the projection last heard from Kafka; null before
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Summary(
    int live,
    int cap,
    Map<String, Long> items,
    long backlog,
    @Nullable Instant oldest,
    Map<String, Long> ended,
    long costMicros,
    long deadLetters,
    List<Pause> pauses,
    List<Runner> runners,
    List<String> broken,
    @Nullable Instant asOf) {

  /** Items that wait for a session: those in triage, with a session or in back-off do not. */
  public long waiting() {
    return items.getOrDefault("queued", 0L);
  }

  /**
   * One line for each fact that is not urgent: items by state, dead letters, runners that claim.
   */
  public Stream<String> standing() {
    String states =
        new TreeMap<>(items)
            .entrySet().stream()
                .map(each -> each.getValue() + " " + each.getKey())
                .collect(Collectors.joining(", "));
    return Stream.of(
            Stream.of("items: " + (states.isEmpty() ? "none" : states)),
            Stream.of("dead letters: " + deadLetters).filter(_ -> deadLetters > 0),
            runners.stream()
                .filter(each -> each.refusing() == null)
                .map(each ->
                    "runner " + each.id() + ": " + each.slots() + " slots, level " + each.level()))
        .flatMap(lines -> lines);
  }

  /**
   * One pause.
   *
   * @param scope what a resume names
   * @param line the scope, who paused it, until when, and why
   */
  public record Pause(String scope, String line) {}

  /**
   * One runner by its last entry.
   *
   * @param refusing why its gate declines new sessions, null if it is open
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Runner(String id, String level, int slots, @Nullable String refusing) {}
}
