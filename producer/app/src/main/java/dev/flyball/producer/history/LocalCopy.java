package dev.flyball.producer.history;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.producer.change.Known;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * What is known to be published at a committed cursor.
 *
 * @param known every item that was published
 * @param invalid digests of the unreadable lines that are in dead-letters already
 */
public record LocalCopy(Map<ItemKey, Known> known, Set<String> invalid) {
  /** The copy before the first poll. */
  public static final LocalCopy NOTHING = new LocalCopy(Map.of(), Set.of());

  /** This copy, completed by the others for items that it does not know. */
  public LocalCopy orElse(Map<ItemKey, Known> others) {
    var all = new HashMap<>(others);
    all.putAll(known);
    return new LocalCopy(all, invalid);
  }

  public LocalCopy {
    known = Map.copyOf(known);
    invalid = Set.copyOf(invalid);
  }
}
