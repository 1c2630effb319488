package dev.flyball.tracker.azure;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.tracker.Revisited;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Items that are checked again, by their numbers. */
record AskedFor(List<ItemKey> keys) {

  List<Long> ids() {
    return keys.stream().filter(AskedFor::isNumber).map(AskedFor::number).distinct().toList();
  }

  /** The items that are not in the answer. */
  List<Long> missing(AzureItems items) {
    return ids().stream().filter(id -> !items.has(id)).toList();
  }

  /**
   * The result. An id that is not a number was never one of this tracker's items.
   *
   * @param missing those that are deleted, or no longer visible
   */
  Revisited.Seen seen(AzureItems items, Set<Long> missing, int requests) {
    var gone =
        keys.stream()
            .filter(key -> !isNumber(key) || missing.contains(number(key)))
            .collect(Collectors.toSet());
    return new Revisited.Seen(items.all(), gone, requests);
  }

  private static boolean isNumber(ItemKey key) {
    return key.id().matches("[1-9][0-9]{0,17}");
  }

  private static long number(ItemKey key) {
    return Long.parseLong(key.id());
  }
}
