package dev.flyball.program.config;

import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.topic.Pools;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Turns the entries of {@code pools} into the pools of runners. */
final class PoolEntries {
  static final String POOLS = "pools";

  private PoolEntries() {}

  /**
   * The pools, in the order in which they are written.
   *
   * @param everywhere the budgets of the default pool
   * @throws ConfigurationError with every problem found
   */
  static List<ConfiguredPool> of(Configuration configuration, Limits everywhere) {
    var problems = new ArrayList<String>();
    var pools = new ArrayList<ConfiguredPool>();
    var seen = new HashMap<String, Set<String>>();
    for (Map<String, Setting> entry : configuration.list(POOLS)) {
      ListEntry.read(
              "a pool",
              entry,
              ConfiguredPool.class,
              written -> {
                written.check(everywhere);
                if (seen.put(written.name(), Set.copyOf(written.tenants())) != null) {
                  throw new IllegalArgumentException("name " + written.name() + " is used twice");
                }
                // The checks of all pools so far: the error then names this entry's line.
                var _ = new Pools(seen);
                return written;
              },
              problems)
          .ifPresent(pools::add);
    }
    if (!problems.isEmpty()) {
      throw new ConfigurationError(problems);
    }
    return pools;
  }

  static Pools pools(List<ConfiguredPool> all) {
    var tenants = new LinkedHashMap<String, Set<String>>();
    all.forEach(pool -> tenants.put(pool.name(), Set.copyOf(pool.tenants())));
    return new Pools(tenants);
  }

  static List<Configuration.Row> rows(Configuration configuration) {
    return ListEntry.rows(configuration, POOLS, ConfiguredPool.class).toList();
  }
}
