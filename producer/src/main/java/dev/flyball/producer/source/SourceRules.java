package dev.flyball.producer.source;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * By which rules a source's items are read, the same words for every type.
 *
 * @param fingerprintFields what decides "changed"; empty for the producer's own
 * @param closedStates further states, lower case, in which no work is wanted; the tracker's own
 *     word for closed counts always
 * @param unassignedIsClosed whether an item that nobody is assigned to wants no work
 * @param me how the tracker names the account that our write-backs come from, in {@code changedBy};
 *     null where nothing is written back. What only it changed is no change
 * @param revisit how often items that wait or run are looked at again by their ids, so that a
 *     closed or deleted one is noticed even where the query does not find it any more
 * @param writeBack what is told to the tracker
 */
public record SourceRules(
    List<String> fingerprintFields,
    Set<String> closedStates,
    boolean unassignedIsClosed,
    @Nullable String me,
    Duration revisit,
    WriteBack writeBack) {

  /** {@code sources[].revisit} unless configured. */
  public static final Duration DEFAULT_REVISIT = Duration.ofMinutes(10);

  /** What counts unless something else is configured. */
  public static final SourceRules DEFAULT =
      new SourceRules(List.of(), Set.of(), false, null, DEFAULT_REVISIT, new WriteBack.Off());

  public SourceRules {
    fingerprintFields = List.copyOf(new TreeSet<>(fingerprintFields));
    closedStates =
        Set.copyOf(closedStates.stream().map(state -> state.toLowerCase(Locale.ROOT)).toList());
  }
}
