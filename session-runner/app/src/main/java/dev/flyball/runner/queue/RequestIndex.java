package dev.flyball.runner.queue;

import dev.flyball.contract.topic.Position;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.TreeSet;
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
  private final Map<String, Waiting> newest = new HashMap<>();
  private final Map<LaneName, Lane> lanes = new HashMap<>();
  private final Map<String, Tenant> tenants = new HashMap<>();
  private long served;

  /** What a pause, cap, budget, rate limit or floor may apply to. */
  private record LaneName(
      String source,
      @Nullable String polledBy,
      @Nullable String provider,
      String profile,
      int partition) {
    private static LaneName of(Waiting waiting) {
      return new LaneName(
          waiting.source(),
          waiting.polledBy(),
          waiting.provider(),
          waiting.profile(),
          waiting.at().partition());
    }
  }

  /**
   * The waiting requests of one name, in order. Whatever applies to the first applies to all, so a
   * search skips the thousands behind it.
   */
  private record Lane(Tenant tenant, TreeSet<Waiting> waiting) {}

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
  public void put(Waiting waiting) {
    unqueue(newest.put(waiting.key(), waiting));
    lanes
        .computeIfAbsent(
            LaneName.of(waiting),
            name ->
                new Lane(tenants.computeIfAbsent(waiting.tenant(), Tenant::new), new TreeSet<>()))
        .waiting
        .add(waiting);
  }

  /** Takes a tombstone that was read. */
  public void withdraw(String key) {
    unqueue(newest.remove(key));
  }

  /**
   * Records that the request at this position has or had its session. It never runs again, but it
   * stays the item's current request. A newer record of the item is not touched.
   */
  public void used(String key, Position at) {
    newest(key).filter(it -> it.at().equals(at)).ifPresent(this::unqueue);
  }

  /** Removes a partition's records from this offset on, because the broker lost them. */
  public void lost(int partition, long from) {
    newest.values().stream()
        .filter(it -> it.at().partition() == partition && it.at().offset() >= from)
        .toList()
        .forEach(it -> withdraw(it.key()));
  }

  /** Whether the record here is the item's newest, for a claim and for a running session. */
  public boolean current(String key, Position at) {
    return newest(key).filter(it -> it.at().equals(at)).isPresent();
  }

  /**
   * Offers waiting requests in order until an answer is {@link Answer#ENOUGH}; nothing is removed.
   * The index must not be changed meanwhile.
   */
  public void offer(ToIntFunction<String> liveOfTenant, Function<Waiting, Answer> asked) {
    var heads = new PriorityQueue<Head>();
    var live = new HashMap<Tenant, Integer>();
    for (Lane lane : lanes.values()) {
      if (!lane.waiting.isEmpty()) {
        live.computeIfAbsent(lane.tenant, it -> liveOfTenant.applyAsInt(it.name));
        Iterator<Waiting> all = lane.waiting.iterator();
        heads.add(Head.of(lane.tenant, live, all.next(), all));
      }
    }
    for (Head head = heads.poll(); head != null; head = heads.poll()) {
      Head present = Head.of(head.tenant, live, head.first, head.rest);
      if (present.live != head.live) {
        heads.add(present);
        continue;
      }
      Answer answer = asked.apply(head.first);
      if (answer == Answer.ENOUGH) {
        return;
      }
      if (answer == Answer.NEXT_AS_IF_CLAIMED) {
        live.merge(head.tenant, 1, Integer::sum);
      }
      if (answer != Answer.NEXT_LANE && head.rest.hasNext()) {
        heads.add(Head.of(head.tenant, live, head.rest.next(), head.rest));
      }
    }
  }

  /** A claim of this tenant took effect: the next search prefers other tenants. */
  public void served(String name) {
    Tenant tenant = tenants.get(name);
    if (tenant != null) {
      tenant.lastServed = ++served;
    }
  }

  /** The item's newest record, whether it waits or not. */
  public Optional<Waiting> newest(String key) {
    return Optional.ofNullable(newest.get(key));
  }

  /** What waits, in groups that wait for the same; a source may be in several. */
  public List<Group> groups() {
    return lanes.entrySet().stream()
        .filter(each -> !each.getValue().waiting.isEmpty())
        .map(each ->
            new Group(
                each.getKey().source,
                each.getKey().polledBy,
                each.getKey().profile,
                each.getValue().waiting.size()))
        .toList();
  }

  /** How many requests wait. */
  public int size() {
    return lanes.values().stream().mapToInt(lane -> lane.waiting.size()).sum();
  }

  private void unqueue(@Nullable Waiting old) {
    Lane lane = old == null ? null : lanes.get(LaneName.of(old));
    if (lane != null) {
      lane.waiting.remove(old);
    }
  }

  /** A tenant with requests that wait or waited. */
  static final class Tenant {
    private final String name;
    private long lastServed;

    private Tenant(String name) {
      this.name = name;
    }
  }

  /** The first request of a lane that was not offered yet, ordered among those of all lanes. */
  private record Head(int live, Tenant tenant, Waiting first, Iterator<Waiting> rest)
      implements Comparable<Head> {
    private static final Comparator<Head> ORDER =
        Comparator.comparingInt(Head::live)
            .thenComparingLong(head -> head.tenant.lastServed)
            .thenComparing(Head::first);

    private static Head of(
        Tenant tenant, Map<Tenant, Integer> live, Waiting first, Iterator<Waiting> rest) {
      return new Head(live.getOrDefault(tenant, 0), tenant, first, rest);
    }

    @Override
    public int compareTo(Head other) {
      return ORDER.compare(this, other);
    }
  }
}
