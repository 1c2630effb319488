package dev.flyball.runner.request;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * All waiting requests of session-requests, one for each item, without their bodies. Order: the
 * tenant with the fewest live sessions, then the one that was served longest ago; within a tenant
 * by priority, then age. One tenant's flood of urgent items can so not starve another's only item.
 * Not thread-safe: the ledger edge owns it.
 */
public final class RequestIndex {
  /**
   * How many ineligible requests of one tenant are passed over in one search, so that a search
   * stays short.
   */
  private static final int SEARCH_LIMIT = 1000;

  private final Map<String, Waiting> byItem = new HashMap<>();
  private final Map<String, Tenant> tenants = new HashMap<>();
  private long served;
  private int queued;

  /** A request's record was read; it replaces the item's earlier one. */
  public void put(String key, int partition, long offset, int priority, long sinceMs) {
    var waiting = new Waiting(key, partition, offset, priority, sinceMs);
    unqueue(byItem.put(key, waiting));
    if (tenants.computeIfAbsent(tenantOf(key), Tenant::new).order.add(waiting)) {
      queued++;
    }
  }

  /** A tombstone was read. */
  public void withdraw(String key) {
    unqueue(byItem.remove(key));
  }

  /**
   * The request at this place has or had its session: it never runs again, but it stays the one
   * that is wanted. A newer record of the item is not touched.
   */
  public void used(String key, int partition, long offset) {
    Waiting waiting = byItem.get(key);
    if (waiting != null && waiting.partition() == partition && waiting.offset() == offset) {
      unqueue(waiting);
    }
  }

  /**
   * Whether the record at this place is still the item's newest: what a claim and a running session
   * ask.
   */
  public boolean current(String key, int partition, long offset) {
    Waiting waiting = byItem.get(key);
    return waiting != null && waiting.partition() == partition && waiting.offset() == offset;
  }

  /** What should run next among those that {@code eligible} accepts; it is not taken out. */
  public Optional<Waiting> next(ToIntFunction<String> liveOfTenant, Predicate<Waiting> eligible) {
    Waiting best = null;
    long[] bestRank = {};
    for (Tenant tenant : tenants.values()) {
      Waiting head = tenant.first(eligible);
      if (head != null) {
        long[] rank = {liveOfTenant.applyAsInt(tenant.name), tenant.lastServed};
        if (best == null || before(rank, head, bestRank, best)) {
          best = head;
          bestRank = rank;
        }
      }
    }
    return Optional.ofNullable(best);
  }

  /** A claim of this tenant took effect, so the next search prefers others. */
  public void served(String name) {
    Tenant tenant = tenants.get(name);
    if (tenant != null) {
      tenant.lastServed = ++served;
    }
  }

  /** The item's newest record, whether it waits or not. */
  public Optional<Waiting> newest(String key) {
    return Optional.ofNullable(byItem.get(key));
  }

  /** How many wait. */
  public int size() {
    return queued;
  }

  private static boolean before(long[] rank, Waiting head, long[] bestRank, Waiting best) {
    if (rank[0] != bestRank[0]) {
      return rank[0] < bestRank[0];
    }
    return rank[1] != bestRank[1] ? rank[1] < bestRank[1] : head.compareTo(best) < 0;
  }

  private void unqueue(@Nullable Waiting old) {
    if (old != null) {
      String name = tenantOf(old.key());
      Tenant tenant = tenants.get(name);
      if (tenant != null && tenant.order.remove(old)) {
        queued--;
      }
    }
  }

  private static String tenantOf(String key) {
    return key.substring(0, Math.max(0, key.indexOf('/')));
  }

  private static final class Tenant {
    private final String name;
    private final TreeSet<Waiting> order = new TreeSet<>();
    private long lastServed;

    Tenant(String name) {
      this.name = name;
    }

    @Nullable Waiting first(Predicate<Waiting> eligible) {
      int seen = 0;
      for (Waiting waiting : order) {
        if (eligible.test(waiting)) {
          return waiting;
        }
        if (++seen >= SEARCH_LIMIT) {
          return null;
        }
      }
      return null;
    }
  }
}
