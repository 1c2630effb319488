package dev.flyball.ops.console.notify.rule;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How far each target has come in each partition of the events. The group has one position, that of
 * the slowest target; the text that is committed with it names the place of each, so that a restart
 * repeats nothing for the others. Guarded by its monitor.
 */
public final class TargetPlaces {
  private final List<String> targets;

  /** By partition and target. */
  private final Map<Integer, Map<String, Place>> places = new HashMap<>();

  /** Begins without any partition. */
  public TargetPlaces(Collection<String> targets) {
    this.targets = List.copyOf(targets);
  }

  /** What one target has taken of one partition, and what of it is not finished. */
  private static final class Place {
    private long next;

    /** How many messages of each record wait; a record can have two. */
    private final TreeMap<Long, Integer> open = new TreeMap<>();

    private Place(long next) {
      this.next = next;
    }

    private long settled() {
      return open.isEmpty() ? next : open.firstKey();
    }
  }

  /**
   * What is committed for a partition.
   *
   * @param next the offset at which a restart reads on
   * @param text the place of each target
   */
  public record Commit(long next, String text) {}

  /**
   * Goes on with a partition from what was committed. A target that is not named there is new and
   * begins where the others are; one that came further in this process stays there.
   */
  public synchronized void resume(int partition, long next, String text) {
    Map<String, Long> named = read(text);
    long newest = named.values().stream().mapToLong(Long::longValue).max().orElse(next);
    Map<String, Place> known = places.computeIfAbsent(partition, _ -> new HashMap<>());
    for (String target : targets) {
      long begin = Math.max(next, named.getOrDefault(target, newest));
      Place place = known.computeIfAbsent(target, _ -> new Place(begin));
      place.next = Math.max(place.next, begin);
    }
  }

  /** Whether a target has not taken this record yet. */
  public synchronized boolean wants(String target, int partition, long offset) {
    return offset >= place(target, partition).next;
  }

  /** Records that a message of this record waits for its target. */
  public synchronized void began(String target, int partition, long offset) {
    place(target, partition).open.merge(offset, 1, Integer::sum);
  }

  /** Records that the message was delivered or given up. */
  public synchronized void ended(String target, int partition, long offset) {
    place(target, partition)
        .open
        .computeIfPresent(offset, (_, count) -> count > 1 ? count - 1 : null);
  }

  /** Records that all targets have taken this record. */
  public synchronized void read(int partition, long offset) {
    for (String target : targets) {
      Place place = place(target, partition);
      place.next = Math.max(place.next, offset + 1);
    }
  }

  /** What to commit for a partition. */
  public synchronized Commit commit(int partition) {
    var all = new TreeMap<String, Long>();
    targets.forEach(target -> all.put(target, place(target, partition).settled()));
    long least = all.values().stream().mapToLong(Long::longValue).min().orElse(0);
    var text = new StringBuilder();
    all.forEach((target, next) -> text.append(target).append('=').append(next).append(' '));
    return new Commit(least, text.toString().strip());
  }

  private Place place(String target, int partition) {
    return places
        .computeIfAbsent(partition, _ -> new HashMap<>())
        .computeIfAbsent(target, _ -> new Place(0));
  }

  private static Map<String, Long> read(String text) {
    var named = new HashMap<String, Long>();
    for (String part : text.split(" ")) {
      int at = part.indexOf('=');
      if (at > 0 && part.substring(at + 1).matches("[0-9]{1,18}")) {
        named.put(part.substring(0, at), Long.valueOf(part.substring(at + 1)));
      }
    }
    return named;
  }
}
