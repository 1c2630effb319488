package dev.flyball.producer.change;

import static java.util.Objects.requireNonNull;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.tracker.RawItem;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which snapshots of a poll are published, and what is known afterwards.
 *
 * @param publications in the source's order
 * @param known every item of the poll, as it is known once the publications are committed
 * @param duplicates snapshots held back because they, or all meaningful fields of them, were
 *     published before
 */
public record ChangePlan(
    List<Publication> publications, Map<ItemKey, Known> known, int duplicates) {

  public ChangePlan {
    publications = List.copyOf(publications);
  }

  /** One snapshot to publish. */
  public record Publication(RawItem item, Snapshot snapshot, Reason reason) {
    /** Whether it is the newest snapshot of its item. */
    public boolean newest() {
      return snapshot.newest();
    }
  }

  /** Why an item is published or not. */
  public enum Reason {
    /** No snapshot of the item was ever published. */
    NEW("new"),
    CHANGED("changed"),
    /** Unchanged, but published with another fingerprint version, which triage adopts. */
    FINGERPRINT("fingerprint version"),
    UNCHANGED("unchanged");

    private final String label;

    Reason(String label) {
      this.label = label;
    }

    /** The name in a dry run's answer. */
    public String label() {
      return label;
    }
  }

  /**
   * Compares a poll with what is known. The known snapshots at the beginning of an item's list are
   * held back, those after them are published. If an item's newest known snapshot was taken back,
   * the item is published as it is now.
   *
   * @param snapshots makes what is published
   */
  public static ChangePlan of(List<RawItem> items, Map<ItemKey, Known> known, Snapshots snapshots) {
    Map<ItemKey, List<RawItem>> byKey = byKey(items);
    Map<ItemKey, Known> after = learn(byKey, snapshots.version());
    var publications = new IdentityHashMap<RawItem, Publication>();
    // Most of a poll's time is for cleaning text.
    byKey.entrySet().parallelStream()
        .map(each -> {
          List<String> digests = requireNonNull(after.get(each.getKey())).digests();
          return changesOf(each.getValue(), digests, known.get(each.getKey()), snapshots);
        })
        .toList()
        .forEach(changes -> changes.forEach(each -> publications.put(each.item(), each)));
    List<Publication> inOrder =
        items.stream().flatMap(item -> Stream.ofNullable(publications.remove(item))).toList();
    return new ChangePlan(inOrder, after, items.size() - inOrder.size());
  }

  /** What is known after the poll and was not known so before. */
  public Map<ItemKey, Known> changesOf(Map<ItemKey, Known> before) {
    var changes = new HashMap<>(known);
    changes.entrySet().removeIf(entry -> entry.getValue().equals(before.get(entry.getKey())));
    return changes;
  }

  /** What is known after a poll that published all, for example when the local copy was lost. */
  public static Map<ItemKey, Known> learn(List<RawItem> items, String version) {
    return learn(byKey(items), version);
  }

  private static Map<ItemKey, Known> learn(Map<ItemKey, List<RawItem>> byKey, String version) {
    var known = new HashMap<ItemKey, Known>();
    byKey.forEach((key, successive) -> known.put(key, known(successive, version)));
    return known;
  }

  /**
   * What a tracker answered without what is older than what is known of its item. A tracker may ask
   * an index or a copy that lags: its older answer must not replace a newer one. A file is not read
   * this way, because the order of its lines counts and not their times.
   */
  public static List<RawItem> withoutOlder(List<RawItem> items, Map<ItemKey, Known> known) {
    return items.stream()
        .filter(item -> {
          Known before = known.get(item.key());
          return before == null
              || before.changedAt() == null
              || item.changedAt() == null
              || !item.changedAt().isBefore(before.changedAt());
        })
        .toList();
  }

  private static Known known(List<RawItem> successive, String version) {
    return new Known(
        successive.stream().map(RawItem::digest).toList(),
        version,
        successive.getLast().changedAt());
  }

  private static List<Publication> changesOf(
      List<RawItem> items, List<String> digests, @Nullable Known known, Snapshots snapshots) {
    int last = items.size() - 1;
    if (known == null || known.digests().isEmpty()) {
      return from(items, 0, Reason.NEW, snapshots);
    }
    int same = commonPrefix(digests, known.digests());
    if (same <= last && !endsWith(known.digests(), digests)) {
      return from(items, same, Reason.CHANGED, snapshots);
    }
    if (!digests.getLast().equals(known.digests().getLast())) {
      return from(items, last, Reason.CHANGED, snapshots);
    }
    return known.version().equals(snapshots.version())
        ? List.of()
        : from(items, last, Reason.FINGERPRINT, snapshots);
  }

  private static List<Publication> from(
      List<RawItem> items, int first, Reason reason, Snapshots snapshots) {
    var publications = new ArrayList<Publication>();
    for (int i = first; i < items.size(); i++) {
      RawItem item = items.get(i);
      publications.add(new Publication(item, snapshots.of(item, i == items.size() - 1), reason));
    }
    return publications;
  }

  /** Each item's snapshots in their order, without those that repeat the one before them. */
  private static Map<ItemKey, List<RawItem>> byKey(List<RawItem> items) {
    var byKey = new LinkedHashMap<ItemKey, List<RawItem>>();
    for (RawItem item : items) {
      List<RawItem> successive = byKey.computeIfAbsent(item.key(), key -> new ArrayList<>());
      if (successive.isEmpty() || !successive.getLast().digest().equals(item.digest())) {
        successive.add(item);
      }
    }
    return byKey;
  }

  /** The digests without those that repeat the one before them. */
  static List<String> withoutRepeats(List<String> digests) {
    var successive = new ArrayList<String>();
    for (String digest : digests) {
      if (successive.isEmpty() || !successive.getLast().equals(digest)) {
        successive.add(digest);
      }
    }
    return successive;
  }

  /**
   * Whether the last known snapshots are exactly these. A tracker whose item was edited while it
   * was read gave two snapshots, and gives the newer one alone from then on.
   */
  private static boolean endsWith(List<String> known, List<String> digests) {
    int from = known.size() - digests.size();
    return from >= 0 && known.subList(from, known.size()).equals(digests);
  }

  private static int commonPrefix(List<String> a, List<String> b) {
    int i = 0;
    while (i < a.size() && i < b.size() && a.get(i).equals(b.get(i))) {
      i++;
    }
    return i;
  }
}
