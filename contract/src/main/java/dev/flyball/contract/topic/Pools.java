package dev.flyball.contract.topic;

import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * In which pool of runners the sessions of a tenant run. Each pool has a separate ledger, cap and
 * budgets. A tenant belongs to one pool, so everything that the ledger knows about a tenant, its
 * sources and items is in one ledger: one order decides about them.
 *
 * @param tenants those of each pool but {@link #DEFAULT}, which has all others
 */
public record Pools(Map<String, Set<String>> tenants) {
  /** The pool of every tenant that no other pool has. */
  public static final String DEFAULT = "default";

  /** Who keeps a tenant out of the ledgers of other pools, as those entries name it. */
  public static final String KEEPER = "triage-stream";

  /** The default pool alone. */
  public static final Pools NONE = new Pools(Map.of());

  private static final String NAME = "[a-z0-9-]{1,32}";

  public Pools {
    var pools = new TreeMap<String, Set<String>>();
    var first = new HashMap<String, String>();
    new TreeMap<>(tenants)
        .forEach((pool, each) -> {
          if (!pool.matches(NAME) || pool.equals(DEFAULT)) {
            throw new IllegalArgumentException(
                "name '" + pool + "' of a pool must be 1 to 32 of a-z, 0-9 and -, not default");
          }
          each.forEach(tenant -> {
            String other = first.putIfAbsent(tenant, pool);
            if (other != null) {
              throw new IllegalArgumentException(
                  "tenants: " + tenant + " is in two pools, " + other + " and " + pool);
            }
          });
          pools.put(pool, Set.copyOf(each));
        });
    tenants = Collections.unmodifiableMap(pools);
  }

  /** Every pool, the default one first. */
  public List<String> names() {
    return Stream.concat(Stream.of(DEFAULT), tenants.keySet().stream()).toList();
  }

  /** The pool of a tenant. */
  public String of(String tenant) {
    return tenants.entrySet().stream()
        .filter(pool -> pool.getValue().contains(tenant))
        .map(Map.Entry::getKey)
        .findFirst()
        .orElse(DEFAULT);
  }
}
