package dev.flyball.triage.item;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerEntry.Pause;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.PoolTenant;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.topic.Pools;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Decides which entries make each tenant open in the ledger of its pool, and closed in every other
 * (decision 0043). Without this, two ledgers could each admit a session of one item.
 *
 * <p>A decision is one step: its entries are appended, the ledgers are read again, and the next
 * step follows from what took effect. So every step may be repeated, also by several processes with
 * the same pools: an entry that another process was ahead of has no effect, because of its {@code
 * seen}.
 *
 * <p>A pause by triage-stream in the default ledger names the pool in which sessions may be open.
 * It is not replaced or ended until that pool's ledger shows that they have ended.
 */
public final class PoolMoves {
  /** Who pauses and resumes tenants, as the entries name it. */
  public static final String WHO = Pools.KEEPER;

  private static final String RUNS_IN = "its sessions run in pool ";
  private static final String OPENS = "its sessions in other pools have to end first";
  private static final String TENANT = Scope.tenant("");

  private final Pools pools;
  private final Map<String, LedgerState> ledgers;
  private final Instant now;

  /** By pool, how many requests of each tenant are unsettled. */
  private final Map<String, Map<String, Integer>> unsettled = new HashMap<>();

  private final List<Append> appends = new ArrayList<>();
  private final List<String> waits = new ArrayList<>();

  private PoolMoves(Pools pools, Map<String, LedgerState> ledgers, Instant now) {
    this.pools = pools;
    this.ledgers = ledgers;
    this.now = now;
    ledgers.forEach((pool, ledger) -> {
      var counts = new HashMap<String, Integer>();
      ledger.spentRequests().forEach(spent -> counts.merge(spent.item().tenant(), 1, Integer::sum));
      unsettled.put(pool, counts);
    });
  }

  /** An entry to append to the ledger of a pool. */
  public record Append(String pool, LedgerEntry entry) {}

  /**
   * The next step.
   *
   * @param appends at most one for each ledger and tenant
   * @param waits one line for each thing that has to happen first, for a person
   */
  public record Step(List<Append> appends, List<String> waits) {
    public Step {
      appends = List.copyOf(appends);
      waits = List.copyOf(waits);
    }
  }

  /**
   * Decides.
   *
   * @param ledgers the state of each pool's ledger, by pool
   * @param now the time by which pauses are in force
   */
  public static Step next(Pools pools, Map<String, LedgerState> ledgers, Instant now) {
    var moves = new PoolMoves(pools, ledgers, now);
    ledgers.forEach((pool, ledger) ->
        ledger
            .unknownRules()
            .ifPresent(rules ->
                moves.waits.add(
                    "the ledger of pool "
                        + pool
                        + " is folded by rules "
                        + rules
                        + ", which this version does not know; start a newer version")));
    if (moves.waits.isEmpty()) {
      moves.tenants().forEach(moves::decide);
    }
    return new Step(moves.appends, moves.waits);
  }

  /** Every tenant that is listed, or that any ledger has an entry or a session of. */
  private Set<String> tenants() {
    var all = new TreeSet<String>();
    pools.tenants().values().forEach(all::addAll);
    for (LedgerState ledger : ledgers.values()) {
      var scopes = new ArrayList<>(ledger.capped());
      ledger.budgets(now).forEach(use -> scopes.add(use.scope()));
      ledger.pauses(now).forEach(pause -> scopes.add(pause.scope()));
      scopes.stream()
          .filter(scope -> scope.startsWith(TENANT))
          .forEach(scope -> all.add(scope.substring(TENANT.length())));
      ledger.leases().forEach(lease -> all.add(lease.item().tenant()));
    }
    unsettled.values().forEach(counts -> all.addAll(counts.keySet()));
    return all;
  }

  private void decide(String tenant) {
    String home = pools.of(tenant);
    boolean closed = known(pause(home, tenant), tenant);
    var byOperators = new ArrayList<String>();
    String busy = null;
    for (String pool : pools.names()) {
      if (pool.equals(home) || !concerned(pool, home, tenant)) {
        continue;
      }
      Pause pause = pause(pool, tenant);
      if (pause != null && !ours(pause)) {
        byOperators.add(pool);
        closed &= !waits(tenant, pool, home);
      } else {
        closed &= closed(tenant, pool, home, pause);
      }
      busy = busy == null && busy(pool, tenant) ? pool : busy;
    }
    if (!byOperators.isEmpty()) {
      carryOver(tenant, home, byOperators, closed);
    } else {
      home(tenant, home, closed, busy);
    }
  }

  /**
   * Whether runners of the pool may have claimed for the tenant, or may by an older configuration
   * begin to. Without any entry of the tenant, no runner of a pool but the default one does.
   */
  private boolean concerned(String pool, String home, String tenant) {
    return !home.equals(Pools.DEFAULT) || seen(pool, tenant) >= 0 || busy(pool, tenant);
  }

  /**
   * Whether nothing of the tenant runs or can start in a pool that is not its home. If it is not
   * paused there for that home, it is paused again: an entry by an earlier decision that is still
   * on its way then has no effect.
   */
  private boolean closed(String tenant, String pool, String home, @Nullable Pause pause) {
    String why = RUNS_IN + home;
    if (pause != null && pause.why().equals(why)) {
      return !waits(tenant, pool, home);
    }
    if (pause == null || mayReplace(pause, tenant, pool)) {
      append(pool, pauseBy(WHO, why, null, pool, tenant));
    }
    return false;
  }

  /** Whether our pause in the default ledger names a pool in which nothing is left. */
  private boolean mayReplace(Pause pause, String tenant, String pool) {
    String named = named(pause);
    if (!pool.equals(Pools.DEFAULT) || named == null || named.equals(pools.of(tenant))) {
      return true;
    }
    if (!known(pause, tenant)) {
      return false;
    }
    return pause(named, tenant) != null && !busy(named, tenant);
  }

  /**
   * An operator's pause goes with the tenant, and is replaced after that. It goes when nothing is
   * left elsewhere: the operator may end it at any time, and would open the tenant by that.
   */
  private void carryOver(String tenant, String home, List<String> from, boolean closed) {
    Pause there = pause(home, tenant);
    Pause pause = pause(from.getFirst(), tenant);
    if (there != null && !ours(there)) {
      from.forEach(pool -> append(pool, pauseBy(WHO, RUNS_IN + home, null, pool, tenant)));
    } else if (closed && pause != null) {
      append(home, pauseBy(pause.who(), pause.why(), pause.until(), home, tenant));
    }
  }

  /**
   * Opens the tenant at its home, or closes it there while sessions of it are left in another pool.
   */
  private void home(String tenant, String home, boolean closed, @Nullable String busy) {
    Pause pause = pause(home, tenant);
    String scope = Scope.tenant(tenant);
    boolean opened = new PoolTenant(home, tenant).openIn(ledger(home));
    if (closed && pause != null && ours(pause)) {
      append(home, new LedgerEntry.Resume(scope, seen(home, tenant), WHO, RUNS_IN + home));
    } else if (closed && !opened) {
      append(home, pauseBy(WHO, OPENS, null, home, tenant));
    } else if (opened && pause == null && busy != null) {
      String why = home.equals(Pools.DEFAULT) ? RUNS_IN + busy : OPENS;
      append(home, pauseBy(WHO, why, null, home, tenant));
    }
  }

  /** Whether the pool that a pause of ours names is configured; if not, a line says so. */
  private boolean known(@Nullable Pause pause, String tenant) {
    String named = pause != null && ours(pause) ? named(pause) : null;
    if (named == null || ledgers.containsKey(named)) {
      return true;
    }
    waits.add(removed(tenant, named));
    return false;
  }

  /** Whether sessions of the tenant are left in a pool; then a line says so. */
  private boolean waits(String tenant, String pool, String home) {
    if (!busy(pool, tenant)) {
      return false;
    }
    waits.add(
        "tenant "
            + tenant
            + " waits to run in pool "
            + home
            + ": pool "
            + pool
            + " still has "
            + ledger(pool).live(Scope.tenant(tenant))
            + " of its sessions open and "
            + unsettled(pool, tenant)
            + " of its requests not settled; runners of that pool have to run until then");
    return true;
  }

  private static String removed(String tenant, String pool) {
    return "tenant "
        + tenant
        + " is paused: its sessions ran in pool "
        + pool
        + ", which is not configured; put that pool back into pools with tenants: [] until its"
        + " sessions have ended";
  }

  private boolean busy(String pool, String tenant) {
    return ledger(pool).live(Scope.tenant(tenant)) > 0 || unsettled(pool, tenant) > 0;
  }

  private int unsettled(String pool, String tenant) {
    return unsettled.getOrDefault(pool, Map.of()).getOrDefault(tenant, 0);
  }

  /** The pool that a pause of ours names; null if it names none. */
  private static @Nullable String named(Pause pause) {
    return pause.why().startsWith(RUNS_IN) ? pause.why().substring(RUNS_IN.length()) : null;
  }

  private static boolean ours(Pause pause) {
    return pause.who().equals(WHO) && pause.until() == null;
  }

  /** The pause in force; null if there is none. */
  private @Nullable Pause pause(String pool, String tenant) {
    return ledger(pool)
        .lastPause(Scope.tenant(tenant))
        .filter(pause -> pause.until() == null || now.isBefore(pause.until()))
        .orElse(null);
  }

  private Pause pauseBy(
      String who, String why, @Nullable Instant until, String pool, String tenant) {
    return new Pause(Scope.tenant(tenant), until, seen(pool, tenant), who, why);
  }

  private long seen(String pool, String tenant) {
    return ledger(pool).lastOperator(Scope.tenant(tenant));
  }

  private LedgerState ledger(String pool) {
    LedgerState ledger = ledgers.get(pool);
    if (ledger == null) {
      throw new IllegalArgumentException("the state of the ledger of pool " + pool + " is missing");
    }
    return ledger;
  }

  private void append(String pool, LedgerEntry entry) {
    appends.add(new Append(pool, entry));
  }
}
