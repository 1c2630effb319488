package dev.flyball.tracker;

import dev.flyball.contract.item.ItemKey;
import java.util.List;
import java.util.Set;

/**
 * What a source answered about items that it was asked for by id.
 *
 * @param items those that exist, as they are now
 * @param gone those that surely do not exist any more, or that we can no longer see
 * @param requests calls made to the tracker
 */
public record Revisited(List<RawItem> items, Set<ItemKey> gone, int requests) {
  public Revisited {
    items = List.copyOf(items);
    gone = Set.copyOf(gone);
  }
}
