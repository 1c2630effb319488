package dev.flyball.tracker;

import dev.flyball.contract.item.ItemKey;
import java.util.List;
import java.util.Set;

/** What a source answered about items that it was asked for by id. */
public sealed interface Revisited {

  /**
   * The source was read.
   *
   * @param items those that exist, as they are now
   * @param gone those that surely do not exist any more, or that we can no longer see
   * @param requests calls made to the tracker
   */
  record Seen(List<RawItem> items, Set<ItemKey> gone, int requests) implements Revisited {
    public Seen {
      items = List.copyOf(items);
      gone = Set.copyOf(gone);
    }
  }

  /** The source could not be read. */
  record Failed(TrackerFailure failure) implements Revisited {}
}
