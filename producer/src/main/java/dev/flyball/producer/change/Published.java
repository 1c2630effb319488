package dev.flyball.producer.change;

import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.producer.source.RawItem;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What was published of a source's items as the topic tells it, for who has no copy of its own:
 * every snapshot in its order, where a copy has those of the last poll only. One thread.
 */
public final class Published {
  private final Map<ItemKey, Known> byKey = new HashMap<>();

  /**
   * One more record, in its partition's order.
   *
   * @param digest null if it does not tell: what came before it says nothing about it, so its item
   *     counts as unknown until the next
   */
  public void add(ItemKey key, @Nullable String digest, Fingerprint fingerprint) {
    if (digest == null) {
      byKey.remove(key);
      return;
    }
    Known before = byKey.get(key);
    var digests = new ArrayList<>(before == null ? List.of() : before.digests());
    digests.add(digest);
    byKey.put(key, new Known(digests, fingerprint.version(), fingerprint.hash()));
  }

  /** How many items it tells of. */
  public int items() {
    return byKey.size();
  }

  /** Of a source that answers with the newest state of an item only. */
  public Map<ItemKey, Known> newest() {
    var newest = new HashMap<ItemKey, Known>();
    byKey.forEach((key, known) -> newest.put(key, with(known, List.of(known.digests().getLast()))));
    return newest;
  }

  /**
   * Of a source that answers with all it has, several snapshots of one item among them. What the
   * newest published snapshot and those before it are was published; where it stands no more, what
   * stands at the item's beginning and was published once.
   *
   * @param items what it answers now
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
    return new Known(digests, known.version(), known.hash());
  }
}
