package dev.flyball.tracker.azure;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.Revisited;
import dev.flyball.tracker.paging.ChangeFeed;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Items that are checked again, by their numbers. */
record RevisitedKeys(List<ItemKey> keys) {

  List<Long> ids() {
    return keys.stream()
        .filter(RevisitedKeys::isNumber)
        .map(RevisitedKeys::number)
        .distinct()
        .toList();
  }

  /** The items that are not in the answer. */
  List<Long> missing(List<AzureItem> answer) {
    Set<Long> present = answer.stream().map(AzureItem::id).collect(Collectors.toSet());
    return ids().stream().filter(id -> !present.contains(id)).toList();
  }

  /**
   * The result. An id that is not a number was never one of this tracker's items. An item that
   * exists but cannot be read is left out, so that the others do not wait for it.
   *
   * @param missing those that are deleted, or no longer visible
   */
  Revisited.Seen seen(
      List<AzureItem> answer, ChangeFeed.Items<AzureItem> reader, Set<Long> missing, int requests) {
    var items = new ArrayList<RawItem>();
    for (AzureItem item : answer) {
      try {
        items.add(reader.item(item, items.size() + 1));
      } catch (UnreadableRecord e) {
        // The poll that reads it reports it.
      }
    }
    var gone =
        keys.stream()
            .filter(key -> !isNumber(key) || missing.contains(number(key)))
            .collect(Collectors.toSet());
    return new Revisited.Seen(items, gone, requests);
  }

  private static boolean isNumber(ItemKey key) {
    return key.id().matches("[1-9][0-9]{0,17}");
  }

  private static long number(ItemKey key) {
    return Long.parseLong(key.id());
  }
}
