package dev.flyball.producer;

import dev.flyball.tracker.PollResult;
import java.util.List;
import java.util.Map;

/**
 * The result of {@code producer --once --dry-run}: what a poll would publish. A dry run needs no
 * broker and moves no cursor.
 */
public sealed interface DryRun {

  /** {@code tenant/source}. */
  String source();

  /**
   * The source was read.
   *
   * @param items one for each distinct key, in the source's order
   * @param requests calls made to the tracker; 0 for a file
   * @param invalid lines that could not be read
   * @param unknown how many items have a field that is not read, by its name
   */
  record Read(
      String source,
      List<Item> items,
      int requests,
      List<PollResult.Unread> invalid,
      Map<String, Integer> unknown)
      implements DryRun {
    public Read {
      items = List.copyOf(items);
      invalid = List.copyOf(invalid);
      unknown = Map.copyOf(unknown);
    }

    /** How many items a poll would publish. */
    public long changed() {
      return items.stream().filter(Item::publish).count();
    }
  }

  /** The source could not be read. */
  record Unreadable(String source, String reason) implements DryRun {}

  /**
   * One item.
   *
   * @param publish whether a poll would publish it
   * @param reason {@code new}, {@code changed}, {@code unchanged}, {@code own write-back} or {@code
   *     fingerprint version}; of one that is published only to be known and skipped, why it is, for
   *     example {@code before start}
   */
  record Item(String source, String key, boolean publish, String reason) {}
}
