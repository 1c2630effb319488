package dev.flyball.runner.protocol;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.Effect;
import dev.flyball.contract.ledger.Folded;
import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.SpentRequest;
import dev.flyball.contract.session.Route;
import dev.flyball.contract.topic.Position;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Predicate;

/**
 * Many participants that append to one log and read it, each a few milliseconds late, in simulated
 * time. Counts what reaches the log.
 */
final class ManyRunners {
  static final LeaseTimes TIMES = LeaseTimes.DEFAULTS;
  static final int SLOTS = 4;
  private static final long MS = 1_000_000L;

  /** As the producer of a runner: what cannot be sent for so long is dropped. */
  private static final long KEPT = TIMES.late().toNanos();

  final Map<String, ItemKey> requests = new LinkedHashMap<>();
  private final LedgerEntry.Init seed;
  private final SplittableRandom random = new SplittableRandom(7);
  private final PriorityQueue<Event> queue = new PriorityQueue<>();
  private final List<Appended> log = new ArrayList<>();
  private final List<One> runners = new ArrayList<>();
  private final List<Held> held = new ArrayList<>();
  private final Map<Class<?>, Integer> appended = new HashMap<>();
  private final Set<String> replaced = new HashSet<>();
  private final Map<String, Integer> claims = new HashMap<>();
  private LedgerState truth = LedgerState.empty();
  private int voidClaims;
  private boolean down;
  private long slower;
  private long now = 1_000_000_000_000L;
  private long order;
  private int sessions;

  ManyRunners(int count, int cap) {
    seed = new LedgerEntry.Init(cap, TIMES.lease().toMillis(), List.of());
    for (int n = 0; n < count; n++) {
      runners.add(new One("runner-" + n));
    }
    append(seed);
    runners.forEach(each -> append(each.self()));
    runners.forEach(One::begin);
  }

  private record Event(long at, long order, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      return at == other.at ? Long.compare(order, other.order) : Long.compare(at, other.at);
    }
  }

  private record Appended(LedgerEntry entry, long at) {}

  private record Held(LedgerEntry entry, long since) {}

  void pass(Duration time) {
    passUntil(time, state -> false);
  }

  /** Passes this time, or less if the log's state is so before; returns what has passed. */
  Duration passUntil(Duration most, Predicate<LedgerState> state) {
    long start = now;
    long end = now + most.toNanos();
    while (!queue.isEmpty() && queue.peek().at <= end && !state.test(truth)) {
      Event next = queue.remove();
      now = Math.max(now, next.at);
      next.action.run();
    }
    if (!state.test(truth)) {
      now = end;
    }
    return Duration.ofNanos(now - start);
  }

  /** No entry is appended and none is read until the log is up again. */
  void down(boolean is) {
    down = is;
    if (!is) {
      held.stream().filter(each -> now - each.since <= KEPT).forEach(each -> arrive(each.entry));
      held.clear();
    }
  }

  void append(LedgerEntry entry) {
    Folded folded = truth.fold(entry, log.size(), instant(now));
    truth = folded.state();
    log.add(new Appended(entry, now));
    appended.merge(entry.getClass(), 1, Integer::sum);
    if (entry instanceof LedgerEntry.Claim claim) {
      claims.merge(claim.request(), 1, Integer::sum);
      voidClaims += folded.effect() instanceof Effect.None ? 1 : 0;
    }
    if (folded.effect() instanceof Effect.Released released) {
      requests.remove(released.lease().request());
    }
    runners.forEach(One::readSoon);
  }

  /** A claim of a runner that is not one of these participants, or of a past life of one. */
  void leaseOf(String runner, int number) {
    append(claim("old-" + number, "acme/web/" + number, "old-session-" + number, runner));
  }

  int count(Class<? extends LedgerEntry> kind) {
    return appended.getOrDefault(kind, 0);
  }

  int voidClaims() {
    return voidClaims;
  }

  int claimsOf(int number) {
    return claims.getOrDefault("request-" + number, 0);
  }

  /** From now on each entry takes so much longer to reach the log. */
  void slower(Duration by) {
    slower = by.toNanos();
  }

  LedgerState state() {
    return truth;
  }

  void kill(int from) {
    runners.subList(from, runners.size()).forEach(each -> each.alive = false);
  }

  /** Triage replaces the records of all spent requests. */
  void replaceSpent() {
    truth.spentRequests().forEach(each -> replaced.add(each.request()));
    runners.forEach(each -> at(now, each::tick));
  }

  void request(int number) {
    requests.put("request-" + number, ItemKey.parse("acme/web/" + number));
  }

  /** Each runner reads of the new requests within some milliseconds. */
  void requestsRead() {
    runners.forEach(each -> at(now + random.nextLong(10 * MS), each::tick));
  }

  static LedgerEntry.Claim claim(String request, String item, String session, String runner) {
    return new LedgerEntry.Claim(
        request, new Position(0, 10), 11, ItemKey.parse(item), 1, session, runner, null, 1, 0);
  }

  private void send(LedgerEntry entry) {
    if (down) {
      held.add(new Held(entry, now));
    } else {
      arrive(entry);
    }
  }

  private void arrive(LedgerEntry entry) {
    at(now + slower + 2 * MS + random.nextLong(8 * MS), () -> append(entry));
  }

  private void at(long time, Runnable action) {
    queue.add(new Event(time, order++, action));
  }

  private static Instant instant(long nanos) {
    return Instant.ofEpochSecond(0, nanos);
  }

  /** One participant and the edge around it. */
  private final class One implements ClaimSource {
    private final String id;
    private final Participant participant;
    private int next;
    private boolean reads;
    private boolean alive = true;
    private long nextTick = Long.MAX_VALUE;

    One(String id) {
      this.id = id;
      this.participant =
          new Participant(TIMES, seed, this, () -> "session-" + ++sessions, random.split());
    }

    void begin() {
      read();
      at(
          now + random.nextLong(TIMES.heartbeat().toNanos()),
          () -> {
            perform(participant.caughtUp(now));
            scheduleTick();
          });
    }

    void readSoon() {
      if (alive && !reads) {
        reads = true;
        at(
            now + 2 * MS + random.nextLong(8 * MS),
            () -> {
              reads = false;
              read();
              tick();
            });
      }
    }

    private void read() {
      while (alive && next < log.size()) {
        Appended record = log.get(next);
        perform(participant.read(Optional.of(record.entry), next, instant(record.at), now));
        next++;
      }
    }

    void tick() {
      if (alive) {
        perform(participant.tick(now));
        scheduleTick();
      }
    }

    private void scheduleTick() {
      long due = Math.max(now + MS, participant.nextTick());
      if (due < nextTick) {
        nextTick = due;
        at(
            due,
            () -> {
              if (nextTick == due) {
                nextTick = Long.MAX_VALUE;
                tick();
              }
            });
      }
    }

    private void perform(List<Step> steps) {
      for (Step step : steps) {
        if (step instanceof Step.Append append) {
          send(append.entry());
        }
      }
    }

    /** In order, and as if those that were passed over were claimed: as the runner's search. */
    @Override
    public Optional<LedgerEntry.Claim> next(
        String session, LedgerState ledger, Instant ledgerNow, Turns turns) {
      if (ledger.heldBy(id) >= SLOTS) {
        return Optional.empty();
      }
      LedgerState assumed = ledger;
      int passed = 0;
      for (var each : requests.entrySet()) {
        String item = each.getValue().toString();
        LedgerEntry.Claim claim = claim(each.getKey(), item, session, id);
        if (passed < Turns.WINDOW && assumed.whyNot(claim, ledgerNow).isEmpty()) {
          if (turns.mayClaim(each.getValue(), Route.DEFAULT, null)) {
            return Optional.of(claim);
          }
          passed++;
          LedgerEntry.Claim others = claim(each.getKey(), item, item, id);
          assumed = assumed.fold(others, assumed.offset() + 1, ledgerNow).state();
        }
      }
      return Optional.empty();
    }

    @Override
    public boolean wanted(Lease lease) {
      return true;
    }

    @Override
    public LedgerEntry.Usage usage(String session) {
      return new LedgerEntry.Usage(session, 0, 0);
    }

    @Override
    public OptionalLong replacedBy(SpentRequest spent) {
      return replaced.contains(spent.request()) ? OptionalLong.of(20) : OptionalLong.empty();
    }

    @Override
    public LedgerEntry.Runner self() {
      return new LedgerEntry.Runner(id, LedgerState.RULES, "A", SLOTS, null, null);
    }
  }
}
