package dev.flyball.producer;

import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.producer.change.ChangePlan;
import dev.flyball.producer.publish.NotPolled;
import dev.flyball.tracker.PollResult;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** How one poll of one source ended. */
public sealed interface PollReport {
  int MOST_NAMES = 10;

  /** Most characters of such a name. */
  int MOST_NAME = 40;

  /**
   * The source was read and what changed is published, committed together with the cursor.
   *
   * @param poll the poll's id, as in its events
   * @param lines lines (or tracker records) read, unreadable ones included, blank ones not
   * @param items distinct keys among them
   * @param duplicates readable lines held back because they were published before
   * @param invalid lines that could not be read; each is in dead-letters once
   * @param unknown how many items have a field that is not read, by its name
   * @param published snapshots published, in order; {@code changed} is their number
   * @param more whether the list goes on after what was read; the next poll then reads on
   */
  record Finished(
      String source,
      String poll,
      int lines,
      int items,
      int duplicates,
      List<PollResult.Unread> invalid,
      Map<String, Integer> unknown,
      List<Published> published,
      boolean more)
      implements PollReport {
    public Finished {
      invalid = List.copyOf(invalid);
      unknown = Map.copyOf(unknown);
      published = List.copyOf(published);
    }

    static Finished of(String source, String poll, PollResult read, ChangePlan plan) {
      return new Finished(
          source,
          poll,
          read.lines(),
          plan.known().size(),
          plan.duplicates(),
          read.invalid(),
          read.unknown(),
          plan.publications().stream().map(Published::of).toList(),
          read.more());
    }

    /**
     * This poll and the next one together; the next one continued where this one ended, or failed.
     * Items at the boundary count twice.
     */
    public PollReport and(PollReport next) {
      return switch (next) {
        case Finished finished ->
            new Finished(
                source,
                finished.poll,
                lines + finished.lines,
                items + finished.items,
                duplicates + finished.duplicates,
                joined(invalid, finished.invalid),
                unknown,
                joined(published, finished.published),
                finished.more);
        case Skipped skipped -> new Failed(source, skipped.whyNot().reason() + before());
        case Failed failed -> new Failed(source, failed.reason + before());
      };
    }

    private String before() {
      return "; the " + changed() + " changes read before it are published";
    }

    private static <T> List<T> joined(List<T> first, List<T> second) {
      return Stream.concat(first.stream(), second.stream()).toList();
    }

    /** What is wrong with the lines of this poll; see {@link PollReport#complaints}. */
    public List<String> complaints(int most) {
      return Stream.concat(
              PollReport.complaints(invalid, items == 0, most).stream(),
              ignored(source, unknown).stream())
          .toList();
    }

    /** How many snapshots were published. */
    public int changed() {
      return published.size();
    }
  }

  /**
   * What is wrong with a source's lines, for a person. At most {@code most} lines are named, the
   * others counted. A file without any item is not an items file; that is reported in one line
   * instead.
   *
   * @param nothingElse whether no item was found beside the invalid lines
   */
  static List<String> complaints(List<PollResult.Unread> invalid, boolean nothingElse, int most) {
    if (invalid.size() <= most) {
      return invalid.stream().map(PollResult.Unread::text).toList();
    }
    PollResult.Unread first = invalid.getFirst();
    if (nothingElse) {
      return List.of(
          first.place()
              + ": none of its "
              + invalid.size()
              + " lines is an item, so it is no items file; the first: "
              + first.text());
    }
    int more = invalid.size() - most;
    String rest = first.place() + ": " + more + (more == 1 ? " more line" : " more lines");
    return Stream.concat(
            invalid.stream().limit(most).map(PollResult.Unread::text),
            Stream.of(rest + " cannot be read"))
        .toList();
  }

  /** One line that names the fields of a source's items that are not read; empty without any. */
  static Optional<String> ignored(String source, Map<String, Integer> unknown) {
    if (unknown.isEmpty()) {
      return Optional.empty();
    }
    String names =
        new TreeMap<>(unknown)
            .entrySet().stream()
                .limit(MOST_NAMES)
                .map(each -> name(each.getKey()) + " (" + each.getValue() + ")")
                .collect(Collectors.joining(", "));
    int more = unknown.size() - MOST_NAMES;
    return Optional.of(
        source
            + ": unknown fields are not read (items that have each): "
            + names
            + (more > 0 ? " and " + more + " more" : ""));
  }

  private static String name(String field) {
    return field.substring(0, Math.min(field.length(), MOST_NAME)).replaceAll("\\p{C}", "?");
  }

  /**
   * The poll was skipped: one is {@code already in progress}, another producer holds the source's
   * poll lease, or another reason that the {@link NotPolled} names.
   */
  record Skipped(String source, NotPolled whyNot) implements PollReport {}

  /**
   * Nothing was published and the cursor did not move; of several parts, this holds for the last.
   */
  record Failed(String source, String reason) implements PollReport {}

  /**
   * One published snapshot.
   *
   * @param newest whether it is its item's newest; the others end superseded
   */
  record Published(ItemKey key, String revision, Fingerprint fingerprint, boolean newest) {
    private static Published of(ChangePlan.Publication it) {
      return new Published(
          it.item().key(), it.snapshot().revision(), it.snapshot().fingerprint(), it.newest());
    }
  }
}
