package dev.flyball.producer.change;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.tracker.RawItem;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What was published of a source's items, read back from the topic by a producer without a local
 * copy. It holds every snapshot in its order, where a local copy holds those of the last poll only.
 * One thread.
 */
public final class Published {
  private final Map<ItemKey, Known> byKey = new HashMap<>();

  /**
   * Adds one record, in its partition's order.
   *
   * @param version of its fingerprint
   */
  public void add(ItemKey key, String digest, String version, @Nullable Instant changedAt) {
    Known before = byKey.get(key);
    var digests = new ArrayList<>(before == null ? List.of() : before.digests());
    digests.add(digest);
    byKey.put(key, new Known(digests, version, changedAt));
  }

  /** What is known for a source that answers only with the newest state of an item. */
  public Map<ItemKey, Known> newest() {
    var newest = new HashMap<ItemKey, Known>();
    byKey.forEach((key, known) -> newest.put(key, with(known, List.of(known.digests().getLast()))));
    return newest;
  }

  /**
   * What is known for a source that answers with everything it has, possibly several snapshots of
   * one item. If the newest published snapshot is in the answer, that snapshot and those before it
   * were published. If it is not, those at the item's beginning that were published once were
   * published.
   *
   * @param items what the source answers now
   */
  public Map<ItemKey, Known> within(List<RawItem> items) {
    var answered = new LinkedHashMap<ItemKey, List<String>>();
    items.forEach(
        item -> answered.computeIfAbsent(item.key(), key -> new ArrayList<>()).add(item.digest()));
    var known = new HashMap<>(byKey);
    answered.forEach((key, digests) ->
        Optional.ofNullable(byKey.get(key))
            .ifPresent(published -> known.put(key, with(published, of(digests, published)))));
    return known;
  }

  private static List<String> of(List<String> digests, Known published) {
    String newest = published.digests().getLast();
    int at = digests.lastIndexOf(newest);
    if (at >= 0) {
      return ChangePlan.withoutRepeats(digests.subList(0, at + 1));
    }
    var once = new HashSet<>(published.digests());
    var known = new ArrayList<String>();
    for (String digest : digests) {
      if (!once.contains(digest)) {
        break;
      }
      known.add(digest);
    }
    known.add(newest);
    return ChangePlan.withoutRepeats(known);
  }

  private static Known with(Known known, List<String> digests) {
    return new Known(digests, known.version(), known.changedAt());
  }
}
