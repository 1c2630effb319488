package dev.flyball.triage.item;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.Effect;
import dev.flyball.contract.ledger.Folded;
import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.PoolTenant;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.topic.Pools;
import dev.flyball.contract.topic.Position;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runners of every pool, with old and new lists of pools, claim in random order while a tenant
 * moves: by the real fold and the real decision. Every entry may be appended much later than it was
 * decided. Two triage processes decide, always by the same list: TenantMover is active only where
 * the ledgers are folded.
 */
@DisplayName("INV-2: while a tenant moves, no item has two open leases over all ledgers")
final class MovingTenantsTest {
  private static final int STORIES = 2_000;
  private static final int STEPS = 250;
  private static final int STEPS_TO_THE_END = 6_000;
  private static final Instant AT = Instant.parse("2026-11-21T08:00:00Z");
  private static final String SCOPE = Scope.tenant("acme");
  private static final List<String> POOLS = List.of("default", "big", "small");
  private static final List<String> ITEMS = List.of("acme/a/1", "acme/a/2", "acme/b/1");

  static List<Long> seeds() {
    String given = System.getProperty("seed");
    return List.of(given == null ? ThreadLocalRandom.current().nextLong() : Long.parseLong(given));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void noItemHasTwoLeasesAndEveryMoveEnds(long seed) {
    System.err.println("MovingTenantsTest: replay with -Dseed=" + seed);
    var random = new Random(seed);
    int claims = 0;
    int crossed = 0;
    for (int n = 0; n < STORIES; n++) {
      long storySeed = random.nextLong();
      var story = new Story(new Random(storySeed), "story seed " + storySeed);
      story.tell();
      claims += story.claimed.size();
      crossed += story.claimedIn.size() > 1 ? 1 : 0;
    }
    assertThat(claims).as("sessions ran").isGreaterThan(STORIES * 5);
    assertThat(crossed).as("in the ledgers of several pools").isGreaterThan(STORIES / 3);
  }

  /** The tenant listed in a pool; all pools stay configured. */
  private static Pools listedIn(String pool) {
    var tenants = new HashMap<String, Set<String>>();
    tenants.put("big", Set.of());
    tenants.put("small", Set.of());
    if (!pool.equals(Pools.DEFAULT)) {
      tenants.put(pool, Set.of("acme"));
    }
    return new Pools(tenants);
  }

  /** An entry on its way to a ledger. */
  private record Sent(String pool, LedgerEntry entry) {}

  /** One record of session-requests; a null request is a tombstone. */
  private record Asked(String item, @Nullable String request) {}

  /** What one runner knows: its pool, its list of pools, and how far it has read. */
  private static final class OneRunner {
    private final String pool;
    private Pools pools;
    private int readTo;

    OneRunner(String pool, Pools pools) {
      this.pool = pool;
      this.pools = pools;
    }

    /** The rule of RunnerCallbacks.Self.serves. */
    boolean serves(LedgerState ledger) {
      return pools.of("acme").equals(pool)
          && (pool.equals(Pools.DEFAULT) || ledger.lastOperator(SCOPE) >= 0);
    }
  }

  /** A triage process: it reads one ledger after another, then decides. */
  private static final class OneTriage {
    private final Map<String, LedgerState> read = new HashMap<>();
  }

  private static final class Story {
    private final Random random;
    private final String name;
    private final Map<String, LedgerState> ledgers = new TreeMap<>();
    private final List<Asked> requests = new ArrayList<>();
    private final List<OneRunner> runners = new ArrayList<>();
    private final List<OneTriage> triages = List.of(new OneTriage(), new OneTriage());
    private final List<Sent> claimsSent = new ArrayList<>();
    private final List<Sent> movesSent = new ArrayList<>();
    private final Set<String> claimed = new HashSet<>();
    private final Set<String> claimedIn = new HashSet<>();
    private final Deque<String> homes = new ArrayDeque<>();
    private final boolean lagging;
    private String home;
    private boolean operators = true;
    private int ids;

    Story(Random random, String name) {
      this.random = random;
      this.name = name;
      this.lagging = random.nextInt(4) == 0;
      for (String pool : POOLS) {
        var init = new LedgerEntry.Init(1 + random.nextInt(3), 45_000, List.of());
        ledgers.put(pool, LedgerState.empty().fold(init, 0, AT).state());
      }
      home = Pools.DEFAULT;
      int moves = 1 + random.nextInt(3);
      for (int n = 0; n < moves; n++) {
        homes.add(POOLS.get(random.nextInt(POOLS.size())));
      }
      for (String pool : POOLS) {
        runners.add(new OneRunner(pool, listedIn(home)));
        runners.add(new OneRunner(pool, listedIn(home)));
      }
      ITEMS.forEach(this::ask);
    }

    void tell() {
      while (true) {
        for (int n = 0; n < STEPS; n++) {
          step();
        }
        String next = homes.poll();
        if (next == null) {
          break;
        }
        move(next);
      }
      end();
    }

    /** Triage processes are restarted with another list; runners have it later, or never. */
    private void move(String to) {
      while (!movesSent.isEmpty()) {
        deliver(movesSent);
      }
      triages.forEach(each -> each.read.clear());
      home = to;
    }

    private void step() {
      switch (random.nextInt(12)) {
        case 0, 1 -> claims(any(runners));
        case 2, 3 -> deliver(claimsSent);
        case 4, 5 -> looks(any(triages));
        case 6 -> deliver(movesSent);
        case 7 -> ends(any(POOLS));
        case 8 -> replaces();
        case 9 -> settles(any(runners));
        case 10 -> reads(any(runners));
        default -> rare();
      }
    }

    private void rare() {
      switch (random.nextInt(4)) {
        case 0, 3 -> any(runners).pools = listedIn(home);
        case 1 -> {
          OneRunner restarted = any(runners);
          restarted.readTo = 0;
        }
        default -> {
          if (operators) {
            operates();
          }
        }
      }
    }

    /** An operator pauses anywhere, and opens the tenant in its pool where the commands let it. */
    private void operates() {
      String pool = any(POOLS);
      long seen = ledger(pool).lastOperator(SCOPE);
      if (random.nextInt(20) == 0) {
        append(pool, new LedgerEntry.Pause(SCOPE, null, seen, "ann", "maintenance"));
      } else {
        resumes();
      }
    }

    /** Everything goes on, without new interference, until the move has ended. */
    private void end() {
      operators = false;
      for (int n = 0; n < STEPS_TO_THE_END && !moved(); n++) {
        step();
        if (random.nextInt(40) == 0) {
          resumes();
        }
      }
      assertThat(moved()).as(name + ": the move to %s has ended; %s", home, decided()).isTrue();
      assertThat(decided().waits()).as(name).isEmpty();
      runners.forEach(each -> each.pools = listedIn(home));
      for (int n = 0; n < STEPS; n++) {
        step();
      }
    }

    /**
     * The operator resumes the tenant, or replaces its pause by one that is over, under the rule of
     * OperatorEntries.
     */
    private void resumes() {
      long seen = ledger(home).lastOperator(SCOPE);
      boolean may =
          !new PoolTenant(home, "acme").keptOutOf(ledger(home))
              && POOLS.stream()
                  .filter(pool -> !pool.equals(home))
                  .allMatch(pool -> new PoolTenant(pool, "acme").goneFrom(ledger(pool)));
      if (may) {
        append(
            home,
            random.nextBoolean()
                ? new LedgerEntry.Resume(SCOPE, seen, "ann", "")
                : new LedgerEntry.Pause(SCOPE, AT.minusSeconds(1), seen, "ann", ""));
      }
    }

    private boolean moved() {
      return POOLS.stream()
              .allMatch(pool ->
                  pool.equals(home) == ledger(pool).lastPause(SCOPE).isEmpty()
                      || (home.equals(Pools.DEFAULT) && ledger(pool).lastOperator(SCOPE) < 0))
          && (home.equals(Pools.DEFAULT) || ledger(home).lastOperator(SCOPE) >= 0)
          && decided().appends().isEmpty();
    }

    private PoolMoves.Step decided() {
      return PoolMoves.next(listedIn(home), ledgers, AT);
    }

    private void looks(OneTriage triage) {
      if (triage.read.size() < POOLS.size()) {
        String pool = POOLS.get(triage.read.size());
        triage.read.put(pool, ledger(pool));
        return;
      }
      PoolMoves.next(listedIn(home), triage.read, AT)
          .appends()
          .forEach(each -> movesSent.add(new Sent(each.pool(), each.entry())));
      triage.read.clear();
    }

    private void claims(OneRunner runner) {
      if (!lagging) {
        runner.readTo = requests.size();
      }
      LedgerState ledger = ledger(runner.pool);
      var waiting = new TreeMap<String, Integer>();
      for (int at = 0; at < runner.readTo; at++) {
        if (requests.get(at).request() == null) {
          waiting.remove(requests.get(at).item());
        } else {
          waiting.put(requests.get(at).item(), at);
        }
      }
      if (waiting.isEmpty() || !runner.serves(ledger)) {
        return;
      }
      String item = any(new ArrayList<>(waiting.keySet()));
      int at = waiting.getOrDefault(item, 0);
      var claim =
          new LedgerEntry.Claim(
              String.valueOf(requests.get(at).request()),
              new Position(0, at),
              runner.readTo,
              ItemKey.parse(item),
              1,
              "s" + ids++,
              "r",
              null,
              LedgerState.RULES,
              0);
      if (ledger.whyNot(claim, AT).isEmpty()) {
        claimsSent.add(new Sent(runner.pool, claim));
      }
    }

    private void reads(OneRunner runner) {
      runner.readTo = Math.min(requests.size(), runner.readTo + 1 + random.nextInt(5));
    }

    /** A session ends. */
    private void ends(String pool) {
      List<Lease> open = List.copyOf(ledger(pool).leases());
      if (!open.isEmpty()) {
        Lease lease = any(open);
        append(pool, new LedgerEntry.Expire(lease.session(), lease.seen()));
      }
    }

    /** The item's task has read a session's end: it withdraws the request, or asks again. */
    private void replaces() {
      String other = any(ITEMS);
      if (newest(other) == null) {
        ask(other);
      }
      for (LedgerState ledger : ledgers.values()) {
        ledger
            .spentRequests()
            .forEach(spent -> {
              String item = spent.item().toString();
              if (spent.request().equals(newest(item)) && random.nextBoolean()) {
                if (random.nextBoolean()) {
                  requests.add(new Asked(item, null));
                } else {
                  ask(item);
                }
              }
            });
      }
    }

    private @Nullable String newest(String item) {
      return requests.stream()
          .filter(each -> each.item().equals(item))
          .reduce((older, newer) -> newer)
          .map(Asked::request)
          .orElse(null);
    }

    private void ask(String item) {
      requests.add(new Asked(item, "q" + ids++));
    }

    /** A runner settles, in its ledger, what it has read a newer record of. */
    private void settles(OneRunner runner) {
      runner.readTo = lagging ? runner.readTo : requests.size();
      List.copyOf(ledger(runner.pool).spentRequests())
          .forEach(spent -> {
            for (int at = (int) spent.requestAt().offset() + 1; at < runner.readTo; at++) {
              if (requests.get(at).item().equals(spent.item().toString())) {
                append(runner.pool, new LedgerEntry.Settled(spent.request(), at));
                return;
              }
            }
          });
    }

    private void deliver(List<Sent> sent) {
      if (!sent.isEmpty()) {
        Sent entry = sent.remove(random.nextInt(sent.size()));
        append(entry.pool(), entry.entry());
      }
    }

    private void append(String pool, LedgerEntry entry) {
      LedgerState before = ledger(pool);
      Folded folded = before.fold(entry, before.offset() + 1, AT);
      ledgers.put(pool, folded.state());
      if (folded.effect() instanceof Effect.Claimed effective) {
        claimedIn.add(pool);
        ItemKey item = effective.lease().item();
        assertThat(ledgers.values().stream().filter(each -> each.leaseOf(item).isPresent()))
            .as(name + ": open leases of " + item)
            .hasSize(1);
        assertThat(claimed.add(effective.lease().request()) || lagging)
            .as(name + ": request " + effective.lease().request() + " has one session")
            .isTrue();
      }
    }

    private LedgerState ledger(String pool) {
      return ledgers.getOrDefault(pool, LedgerState.empty());
    }

    private <T> T any(List<T> all) {
      return all.get(random.nextInt(all.size()));
    }
  }
}
