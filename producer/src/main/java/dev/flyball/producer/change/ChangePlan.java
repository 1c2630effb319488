package dev.flyball.producer.change;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.producer.source.RawItem;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which snapshots of a poll are published, and what is known afterwards.
 *
 * @param publications in the source's order
 * @param known every item of the poll, as it is known once the publications are committed
 * @param duplicates snapshots held back because they were published before
 */
public record ChangePlan(
    List<Publication> publications, Map<ItemKey, Known> known, int duplicates) {

  public ChangePlan {
    publications = List.copyOf(publications);
  }

  /** One snapshot to publish. */
  public record Publication(RawItem item, boolean newest, Reason reason) {}

  /** Why an item is published or not. */
  public enum Reason {
    /** Nothing of it was ever published. */
    NEW("new"),
    /** Its tracker says something else than it did. */
    CHANGED("changed"),
    /** It is as it was, but its fingerprint would read differently; triage adopts that silently. */
    FINGERPRINT("fingerprint version"),
    /** It is as it was. */
    UNCHANGED("unchanged");

    private final String label;

    Reason(String label) {
      this.label = label;
    }

    /** The word in a dry run's answer. */
    public String label() {
      return label;
    }
  }

  /**
   * Compares a poll with what is known. A known beginning of an item's snapshots is held back, what
   * follows is published; an item whose newest snapshot was taken back is published as it is now.
   *
   * @param version of fingerprints made now
   */
  public static ChangePlan of(List<RawItem> items, Map<ItemKey, Known> known, String version) {
    var byKey = new LinkedHashMap<ItemKey, List<RawItem>>();
    items.forEach(item -> byKey.computeIfAbsent(item.key(), key -> new ArrayList<>()).add(item));

    var publications = new ArrayList<Publication>();
    var after = new LinkedHashMap<ItemKey, Known>();
    byKey.forEach((key, snapshots) -> {
      List<RawItem> successive = withoutRepeats(snapshots);
      List<String> digests = successive.stream().map(RawItem::digest).toList();
      publications.addAll(changesOf(successive, digests, known.get(key), version));
      after.put(key, new Known(digests, version));
    });
    publications.sort(Comparator.comparingLong(publication -> publication.item().at()));
    return new ChangePlan(publications, after, items.size() - publications.size());
  }

  /**
   * What is known of a poll whose snapshots are all published, for example after the local copy was
   * lost.
   */
  public static Map<ItemKey, Known> learn(List<RawItem> items, String version) {
    return of(items, Map.of(), version).known();
  }

  private static List<Publication> changesOf(
      List<RawItem> snapshots,
      List<String> digests,
      @org.jspecify.annotations.Nullable Known known,
      String version) {
    int last = snapshots.size() - 1;
    if (known == null || known.digests().isEmpty()) {
      return from(snapshots, 0, Reason.NEW);
    }
    int same = commonPrefix(digests, known.digests());
    if (same <= last) {
      return from(snapshots, same, Reason.CHANGED);
    }
    if (!digests.getLast().equals(known.digests().getLast())) {
      return from(snapshots, last, Reason.CHANGED);
    }
    return known.version().equals(version) ? List.of() : from(snapshots, last, Reason.FINGERPRINT);
  }

  private static List<Publication> from(List<RawItem> snapshots, int first, Reason reason) {
    var publications = new ArrayList<Publication>();
    for (int i = first; i < snapshots.size(); i++) {
      publications.add(new Publication(snapshots.get(i), i == snapshots.size() - 1, reason));
    }
    return publications;
  }

  private static List<RawItem> withoutRepeats(List<RawItem> snapshots) {
    var successive = new ArrayList<RawItem>();
    String before = "";
    for (RawItem snapshot : snapshots) {
      String digest = snapshot.digest();
      if (!digest.equals(before)) {
        successive.add(snapshot);
      }
      before = digest;
    }
    return successive;
  }

  private static int commonPrefix(List<String> a, List<String> b) {
    int i = 0;
    while (i < a.size() && i < b.size() && a.get(i).equals(b.get(i))) {
      i++;
    }
    return i;
  }
}
