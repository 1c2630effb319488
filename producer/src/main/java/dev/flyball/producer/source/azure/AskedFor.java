package dev.flyball.producer.source.azure;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.producer.source.Revisited;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Items that are looked at again, by their numbers. */
record AskedFor(List<ItemKey> keys) {

  List<Long> ids() {
    return keys.stream().filter(AskedFor::isNumber).map(AskedFor::number).distinct().toList();
  }

  /** Those that an answer had nothing of. */
  List<Long> missing(AzureItems items) {
    return ids().stream().filter(id -> !items.has(id)).toList();
  }

  /**
   * What there is of them. What is no number never was one of this tracker's items.
   *
   * @param missing those that are deleted, or not visible any more
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
