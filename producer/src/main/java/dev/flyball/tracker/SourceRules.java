package dev.flyball.tracker;

import dev.flyball.contract.config.ConfigKey;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * The rules by which a source's items are read, with the same names for every type.
 *
 * @param fingerprintFields what decides "changed"; empty for the producer's own
 * @param closedStates further states, lower case, in which no work is wanted; the tracker's own
 *     names for closed always apply
 * @param unassignedIsClosed whether an unassigned item wants no work
 * @param revisit how often items that wait or run are checked again by their ids, so that a closed
 *     or deleted one is noticed even where the query no longer finds it
 * @param writeBack what is delivered to the tracker
 * @param optIn which items are taken; the others are recorded as known and skipped
 */
public record SourceRules(
    @ConfigKey(
            name = "fingerprint",
            choices = {"comments", "priority", "state", "tags", "text", "title", "type", "url"},
            meaning = "Fields that decide whether an item changed; by default `fingerprint.fields`")
        List<String> fingerprintFields,
    @ConfigKey(
            name = "closed-states",
            meaning =
                "Further states in which no work is wanted: sessions of such an item are cancelled")
        Set<String> closedStates,
    @ConfigKey(
            name = "unassigned",
            choices = {"ignore", "closed"},
            initial = "ignore",
            meaning = "`closed`: no work is wanted for an item without an assignee")
        boolean unassignedIsClosed,
    @ConfigKey(
            name = "revisit",
            initial = "10m",
            meaning =
                "How often items that wait or run are checked again by their ids, to notice closed"
                    + " and deleted ones; at least 30s")
        Duration revisit,
    WriteBack writeBack,
    OptIn optIn) {

  /** {@code sources[].revisit} unless configured. */
  public static final Duration DEFAULT_REVISIT = Duration.ofMinutes(10);

  /** The rules unless configured. */
  public static final SourceRules DEFAULT =
      new SourceRules(List.of(), Set.of(), false, DEFAULT_REVISIT, new WriteBack.Off(), OptIn.ALL);

  public SourceRules {
    fingerprintFields = List.copyOf(new TreeSet<>(fingerprintFields));
    closedStates =
        Set.copyOf(closedStates.stream().map(state -> state.toLowerCase(Locale.ROOT)).toList());
  }
}
