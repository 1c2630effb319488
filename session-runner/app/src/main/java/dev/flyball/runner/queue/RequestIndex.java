package dev.flyball.runner.queue;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * All waiting requests of session-requests, one for each item, without their bodies. Order: the
 * tenant with the fewest live sessions, then the tenant that was served longest ago; within a
 * tenant by {@linkplain dev.flyball.contract.session.SessionRequest#turn turn}.
 *
 * <p>So one tenant's flood of urgent items cannot starve another's only item, and a source that may
 * not run cannot hold up another source. Not thread-safe: the ledger edge owns it.
 */
public final class RequestIndex {
  private final WaitingTable byItem = new WaitingTable();
  private final Map<LaneName, Lane> lanes = new HashMap<>();
  private final Map<String, Tenant> tenants = new HashMap<>();
  private long served;
  private int queued;

  record LaneName(
      String source,
      @Nullable String polledBy,
      @Nullable String provider,
      String profile,
      int partition) {}

  /**
   * Requests that wait.
   *
   * @param source {@code tenant/source} of their items
   * @param polledBy the source that read them, null if it is the same
   * @param count at least one
   */
  public record Group(String source, @Nullable String polledBy, String profile, int count) {}

  /** How the search goes on after an offered request. */
  public enum Answer {
    /** Nothing: the search is over. */
    ENOUGH,
    /** The next request, whatever its lane. */
    NEXT,
    /** The same, as if this one were claimed: its tenant has one session more. */
    NEXT_AS_IF_CLAIMED,
    /** The next request of another source, provider or partition. */
    NEXT_LANE
  }

  /** Takes a request's record that was read; it replaces the item's earlier one. */
  public void put(
      String key,
      int partition,
      long offset,
      @Nullable String provider,
      String profile,
      long turn) {
    put(key, partition, offset, provider, profile, null, turn);
  }

  /**
   * The same for an item that another source read.
   *
   * @param polledBy the source that read it, null if that is the item's own
   */
  public void put(
      String key,
      int partition,
      long offset,
      @Nullable String provider,
      String profile,
      @Nullable String polledBy,
      long turn) {
    String source = sourceOf(key);
    Lane lane =
        lanes.computeIfAbsent(
            new LaneName(source, polledBy, provider, profile, partition),
            name -> new Lane(tenantOf(source), name));
    var waiting = new Waiting(lane, idOf(key), turn, offset);
    unqueue(byItem.put(waiting));
    lane.add(waiting);
    queued++;
  }

  /** Takes a tombstone that was read. */
  public void withdraw(String key) {
    unqueue(byItem.remove(sourceOf(key), idOf(key)));
  }

  /**
   * Records that the request at this position has or had its session. It never runs again, but it
   * stays the item's current request. A newer record of the item is not touched.
   */
  public void used(String key, int partition, long offset) {
    newest(key)
        .filter(it -> it.partition() == partition && it.offset() == offset)
        .ifPresent(this::unqueue);
  }

  /** Removes a partition's records from this offset on, because the broker lost them. */
  public void lost(int partition, long from) {
    for (Waiting each : byItem.all()) {
      if (each.partition() == partition && each.offset() >= from) {
        withdraw(each.key());
      }
    }
  }

  /**
   * Whether the record at this position is still the item's newest, for a claim and for a running
   * session.
   */
  public boolean current(String key, int partition, long offset) {
    return newest(key)
        .filter(it -> it.partition() == partition && it.offset() == offset)
        .isPresent();
  }

  /**
   * Offers waiting requests in order until an answer is {@link Answer#ENOUGH}; nothing is removed.
   * The index must not be changed meanwhile.
   */
  public void offer(ToIntFunction<String> liveOfTenant, Function<Waiting, Answer> asked) {
    var heads = new PriorityQueue<Head>();
    var live = new HashMap<Tenant, Integer>();
    for (Lane lane : lanes.values()) {
      if (!lane.isEmpty()) {
        live.computeIfAbsent(lane.tenant(), it -> liveOfTenant.applyAsInt(it.name));
        heads.add(Head.of(lane, live, lane.cursor()));
      }
    }
    for (Head head = heads.poll(); head != null; head = heads.poll()) {
      Lane lane = head.cursor.now().lane;
      Head present = Head.of(lane, live, head.cursor);
      if (present.live != head.live) {
        heads.add(present);
        continue;
      }
      Answer answer = asked.apply(head.cursor.now());
      if (answer == Answer.ENOUGH) {
        return;
      }
      if (answer == Answer.NEXT_AS_IF_CLAIMED) {
        live.merge(lane.tenant(), 1, Integer::sum);
      }
      if (answer != Answer.NEXT_LANE && head.cursor.advance()) {
        heads.add(Head.of(lane, live, head.cursor));
      }
    }
  }

  /**
   * Records that a claim of this tenant took effect, so that the next search prefers other tenants.
   */
  public void served(String name) {
    Tenant tenant = tenants.get(name);
    if (tenant != null) {
      tenant.lastServed = ++served;
    }
  }

  /** The item's newest record, whether it waits or not. */
  public Optional<Waiting> newest(String key) {
    return Optional.ofNullable(byItem.get(sourceOf(key), idOf(key)));
  }

  /** What waits, in groups that wait for the same; a source may be in several. */
  public List<Group> groups() {
    return lanes.values().stream()
        .filter(lane -> !lane.isEmpty())
        .map(lane -> new Group(lane.source(), lane.polledBy(), lane.profile(), lane.size()))
        .toList();
  }

  /** How many requests wait. */
  public int size() {
    return queued;
  }

  private void unqueue(@Nullable Waiting old) {
    if (old != null && old.lane.remove(old)) {
      queued--;
    }
  }

  private Tenant tenantOf(String source) {
    String name = source.substring(0, Math.max(0, source.indexOf('/')));
    return tenants.computeIfAbsent(name, Tenant::new);
  }

  /** {@code tenant/source}; an item's id may have slashes. */
  private static String sourceOf(String key) {
    return key.substring(0, end(key));
  }

  private static byte[] idOf(String key) {
    int end = end(key);
    return key.substring(Math.min(end + 1, key.length())).getBytes(StandardCharsets.UTF_8);
  }

  private static int end(String key) {
    int second = key.indexOf('/', key.indexOf('/') + 1);
    return second < 0 ? key.length() : second;
  }

  /** A tenant with requests that wait or waited. */
  static final class Tenant {
    private final String name;
    private long lastServed;

    private Tenant(String name) {
      this.name = name;
    }
  }

  /** The first open request of a lane, ordered among those of all lanes. */
  private record Head(int live, long lastServed, Lane.Cursor cursor) implements Comparable<Head> {
    private static Head of(Lane lane, Map<Tenant, Integer> live, Lane.Cursor cursor) {
      int sessions = live.getOrDefault(lane.tenant(), 0);
      return new Head(sessions, lane.tenant().lastServed, cursor);
    }

    @Override
    public int compareTo(Head other) {
      if (live != other.live) {
        return Integer.compare(live, other.live);
      }
      return lastServed != other.lastServed
          ? Long.compare(lastServed, other.lastServed)
          : cursor.now().compareTo(other.cursor.now());
    }
  }
}
