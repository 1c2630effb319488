package dev.flyball.ops.console.operate;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.item.Snapshot;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.topic.DeadLetter;
import dev.flyball.contract.topic.Position;
import dev.flyball.contract.topic.Topics;
import dev.flyball.ops.console.operate.DeadLetterReader.Letter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Which dead letters a command acts on. Requeue takes of each item the newest that holds a readable
 * snapshot from work-items; redeliver takes each analysis. Lines of a file are not among them,
 * because the next poll reads them again. Records of runners and of the classifier apply only to
 * the time at which they were written.
 *
 * @param <T> what a dead letter holds
 */
public final class DeadLetterSelection<T> {
  private final String topic;
  private final String other;
  private final Set<String> wanted;
  private final int most;
  private final Function<DeadLetter, T> content;
  private final Function<T, String> identity;
  private final Map<String, Selected<T>> selected = new LinkedHashMap<>();
  private final SortedMap<String, String> stay = new TreeMap<>();

  /** What one dead letter of an item holds. */
  public record Selected<T>(ItemKey item, T content) {}

  /** A snapshot to requeue, and where its record stood in work-items. */
  public record Back(Snapshot snapshot, Position from) {}

  private DeadLetterSelection(
      String topic,
      String other,
      Collection<String> wanted,
      int most,
      Function<DeadLetter, T> content,
      Function<T, String> identity) {
    this.topic = topic;
    this.other = other;
    this.wanted = Set.copyOf(wanted);
    this.most = most;
    this.content = content;
    this.identity = identity;
  }

  /**
   * The newest snapshot of each item.
   *
   * @param wanted only dead letters with one of these keys, or, where it is no whole key, with such
   *     an id at their end; empty for all
   * @param most items that are selected
   */
  public static DeadLetterSelection<Back> snapshots(
      Topics topics, Collection<String> wanted, int most) {
    return new DeadLetterSelection<>(
        topics.workItems(),
        "only records of work-items can be requeued",
        wanted,
        most,
        letter ->
            new Back(
                RecordJson.read(text(letter), Snapshot.class),
                new Position(letter.partition(), letter.offset())),
        back -> "");
  }

  /**
   * Every analysis whose delivery was given up, oldest first, each session's once.
   *
   * @param wanted as for snapshots
   * @param most analyses that are selected
   */
  public static DeadLetterSelection<Analysis> analyses(
      Topics topics, Collection<String> wanted, int most) {
    return new DeadLetterSelection<>(
        topics.analyses(),
        "only analyses can be delivered again",
        wanted,
        most,
        letter -> RecordJson.read(text(letter), Analysis.class),
        Analysis::session);
  }

  private static String text(DeadLetter letter) {
    String value = letter.value() == null ? "" : letter.value();
    if (value.length() == DeadLetter.MAX_VALUE) {
      throw new UnreadableRecord("it is longer than a dead letter keeps");
    }
    return value;
  }

  /** Takes up one dead letter, if the command acts on it. */
  public void read(Letter each) {
    String key = each.key();
    if (key == null || !isWanted(key)) {
      return;
    }
    DeadLetter letter = each.letter();
    if (!letter.topic().equals(topic)) {
      stay.put(key, "a record of " + letter.topic() + "; " + other);
      return;
    }
    try {
      ItemKey item = ItemKey.parse(key);
      T found = content.apply(letter);
      String id = item + " " + identity.apply(found);
      if (selected.size() < most || selected.containsKey(id)) {
        selected.put(id, new Selected<>(item, found));
      } else {
        stay.put(key, "more than " + most + " were found; name its KEY");
      }
    } catch (UnreadableRecord | IllegalArgumentException e) {
      stay.put(key, "its value cannot be read: " + e.getMessage());
    }
  }

  private boolean isWanted(String key) {
    return wanted.isEmpty()
        || wanted.stream()
            .anyMatch(each -> key.equals(each) || (!isKey(each) && key.endsWith("/" + each)));
  }

  /**
   * Whether a name is a whole key. It names that item only: an id may contain slashes, so the key
   * of another tenant's item may end with it.
   */
  private static boolean isKey(String name) {
    try {
      ItemKey.parse(name);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** What the command acts on. */
  public List<Selected<T>> selected() {
    return new ArrayList<>(selected.values());
  }

  /** The dead letters that the command cannot act on, with the reason. */
  public SortedMap<String, String> stay() {
    selected.values().forEach(each -> stay.remove(each.item().toString()));
    return stay;
  }
}
