package dev.flyball.runner.protocol.simulation;

import dev.flyball.contract.ledger.Lease;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.ledger.SpentRequest;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.session.Route;
import dev.flyball.contract.session.Timings;
import dev.flyball.runner.protocol.ClaimSource;
import dev.flyball.runner.protocol.LateFences;
import dev.flyball.runner.protocol.Participant;
import dev.flyball.runner.protocol.Step;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** One process of a runner, from its start to its end: the edges around a real participant. */
final class Incarnation implements ClaimSource {
  static final String PROVIDER = "model";

  /** Micro-dollars that each session may spend. */
  static final long RESERVE = 500_000;

  static final LedgerEntry.Init SEED =
      new LedgerEntry.Init(
          3,
          World.TIMES.lease().toMillis(),
          List.of(new LedgerEntry.ScopedLimits(Scope.GLOBAL, new Limits(20 * RESERVE, null))));

  final World world;
  final Watcher watcher;
  final Machine machine;
  final Folder folder;
  private final Stage stage;
  private final int slots;
  private final RequestView view;
  private final Participant participant;
  private final Map<String, Tree> trees = new LinkedHashMap<>();
  private final List<Runnable> whileFrozen = new ArrayList<>();
  private final List<Supplier<List<Step>>> whileStalled = new ArrayList<>();
  private boolean stalled;
  private boolean alive = true;
  private boolean frozen;
  private boolean out = true;
  private boolean in = true;
  private boolean requestsLag;
  private boolean draining;
  private long readTo;
  private long startEnd = -1;
  private boolean caughtUp;
  private long nextDo;
  private long nextTick = Long.MAX_VALUE;

  Incarnation(Stage stage, Machine machine, Folder folder, int slots) {
    this.stage = stage;
    this.world = stage.world;
    this.watcher = stage.watcher;
    this.machine = machine;
    this.folder = folder;
    this.slots = slots;
    this.view = new RequestView(stage.requests, world.random.nextBoolean());
    Supplier<String> ids = stage::nextSession;
    RandomGenerator random = world.random;
    this.participant =
        world.mutation == Mutation.FENCE_COUNTS_FROM_RECEIPT
            ? LateFences.participant(World.TIMES, SEED, this, ids, random)
            : new Participant(World.TIMES, SEED, this, ids, random);
  }

  /** Sweeps, then reads from a checkpoint or from the ledger's start. */
  void start(LedgerEntry.Checkpoint from) {
    long swept = world.now();
    for (Map.Entry<String, Folder.Row> each : List.copyOf(folder.journal.entrySet())) {
      Tree tree = each.getValue().tree();
      boolean mine = each.getValue().bootId().equals(machine.bootId()) && tree.machine == machine;
      if (mine && !tree.owner.alive()) {
        swept = Math.max(swept, world.now() + world.between(0, 2 * World.SECOND));
        run(swept, tree::die);
        run(swept + 1, () -> lost(each.getKey()));
      } else if (world.mutation == Mutation.COPIED_FOLDER_RELEASES && tree.owner != this) {
        run(swept + 1, () -> lost(each.getKey()));
      }
    }
    run(swept + 2, () -> begin(from));
  }

  private void begin(LedgerEntry.Checkpoint from) {
    readTo = from.at() + 1;
    startEnd = stage.log.end();
    long waited =
        world.mutation == Mutation.RESTARTED_WITNESS_DOES_NOT_WAIT
            ? World.TIMES.lease().toNanos()
            : 0;
    decide(
        () -> participant.startFrom(LedgerState.restore(from.state()), machine.clock() - waited));
    stage.log.onAppend(() -> soon(this::readLedger));
    stage.requests.onAppend(() -> soon(this::readRequests));
    soon(this::readRequests);
    soon(this::readLedger);
  }

  boolean alive() {
    return alive;
  }

  boolean frozen() {
    return frozen;
  }

  boolean reaches() {
    return out;
  }

  void links(boolean nowOut, boolean nowIn) {
    out = nowOut;
    in = nowIn;
    if (in) {
      soon(this::readRequests);
      soon(this::readLedger);
    }
    mayNotKeepItsSlots();
  }

  void requestsLag(boolean lag) {
    requestsLag = lag;
    if (!lag) {
      soon(this::readRequests);
    }
  }

  /** From here on an unkillable tree of this runner would be a residual of the design. */
  void mayNotKeepItsSlots() {
    trees.values().forEach(Tree::becomesKillable);
  }

  void freeze() {
    frozen = true;
    mayNotKeepItsSlots();
  }

  void thaw() {
    frozen = false;
    List<Runnable> waiting = List.copyOf(whileFrozen);
    whileFrozen.clear();
    waiting.forEach(action -> run(world.now(), action));
  }

  /**
   * A Kafka call of the ledger's thread, whichever comes next, takes this long: nothing that the
   * participant has to hear or decide goes on, everything else does.
   */
  void stall(long time) {
    stalled = true;
    mayNotKeepItsSlots();
    run(
        world.now() + time,
        () -> {
          stalled = false;
          List<Supplier<List<Step>>> waiting = List.copyOf(whileStalled);
          whileStalled.clear();
          waiting.forEach(this::decide);
        });
  }

  /** The provider of one of its sessions refused; {@code until} is null for an empty account. */
  void refused(@Nullable Instant until) {
    decide(() ->
        participant.providerLimited(
            PROVIDER, until == null ? null : _ -> until, "refused", machine.clock()));
  }

  /** kill -9. At level A its trees die with it, elsewhere their deadmen end them. */
  void crash(boolean treesToo) {
    mayNotKeepItsSlots();
    alive = false;
    frozen = false;
    if (treesToo) {
      List.copyOf(trees.values())
          .forEach(
              tree -> machine.at(tree, world.now() + world.between(0, 100 * World.MS), tree::die));
    }
  }

  /** Drain, kill, release, exit; whoever cannot is killed after 20 s. */
  void stop() {
    draining = true;
    participant.drain();
    List.copyOf(trees.values()).forEach(Tree::kill);
    exitWhenClosed(world.now() + 20 * World.SECOND);
  }

  private void exitWhenClosed(long latest) {
    if (folder.journal.isEmpty() || world.now() > latest) {
      crash(false);
    } else {
      run(world.now() + 200 * World.MS, () -> exitWhenClosed(latest));
    }
  }

  /** Writes what it has folded so far. */
  void checkpoint() {
    LedgerState ledger = participant.ledger();
    if (caughtUp && ledger.offset() >= 0) {
      stage.network.send(
          this,
          new LedgerEntry.Checkpoint(ledger.offset(), ledger.rules(), null, ledger.snapshot()));
    }
  }

  // ---- reading ----

  private void readLedger() {
    if (!in || stage.log.down()) {
      run(world.now() + 500 * World.MS, this::readLedgerIfBehind);
      return;
    }
    long receivedAt = machine.clock();
    while (readTo < stage.log.end()) {
      long offset = readTo++;
      Log.Appended record = stage.log.at(offset);
      // Bent when it is folded: a stalled participant's state is an older one until then.
      decide(() -> {
        LedgerEntry entry = world.mutation.bend(record.entry(), participant.ledger());
        return participant.read(Optional.of(entry), offset, record.time(), receivedAt);
      });
    }
    if (!caughtUp && readTo >= startEnd) {
      caughtUp = true;
      decide(() -> participant.caughtUp(machine.clock()));
    }
    tick();
  }

  private void readLedgerIfBehind() {
    if (readTo < stage.log.end() || !caughtUp) {
      readLedger();
    }
  }

  private void readRequests() {
    if (!in || requestsLag || stage.log.down()) {
      return;
    }
    view.readAll();
    for (Tree tree : List.copyOf(trees.values())) {
      if (!view.stands(tree.item, tree.request)) {
        tree.kill();
        if (world.mutation == Mutation.RELEASES_BEFORE_THE_TREE_IS_DEAD) {
          release(tree.session, Outcome.CANCELLED);
        }
      }
    }
    tick();
  }

  private void tick() {
    decide(() -> participant.tick(machine.clock()));
  }

  private void decide(Supplier<List<Step>> decision) {
    if (stalled) {
      whileStalled.add(decision);
      return;
    }
    List<Step> steps = decision.get();
    if (!steps.isEmpty()) {
      nextDo = Math.max(nextDo, world.now() + world.between(0, 3 * World.MS));
      run(nextDo, () -> steps.forEach(this::perform));
    }
    long due = machine.trueTimeOf(participant.nextTick());
    if (due < nextTick) {
      long at = Math.max(due, world.now() + World.MS);
      nextTick = at;
      run(
          at + world.between(0, 20 * World.MS),
          () -> {
            if (nextTick == at) {
              nextTick = Long.MAX_VALUE;
            }
            tick();
          });
    }
  }

  // ---- doing ----

  private void perform(Step step) {
    switch (step) {
      case Step.Append append -> send(append.entry());
      case Step.Start start -> launch(start);
      case Step.Extend extend -> {
        Tree tree = trees.get(extend.session());
        if (tree != null) {
          tree.extend(extend.fence().deadmanAt());
        }
      }
      case Step.Kill kill -> {
        Tree tree = trees.get(kill.session());
        if (tree != null) {
          tree.kill();
        }
      }
      case Step.End end -> {
        Tree tree = trees.get(end.session());
        if (tree != null) {
          tree.kill();
        }
      }
      case Step.Unstarted unstarted -> {}
      case Step.Closed closed -> folder.journal.remove(closed.session());
      case Step.StopClaiming stop -> throw new Violation("one ledger", stop.reason());
      case Step.Cut cut -> {}
      case Step.Warn warn -> {}
    }
  }

  private void send(LedgerEntry entry) {
    if (world.mutation == Mutation.RENEWAL_STOPS_AT_THE_KILL
        && entry instanceof LedgerEntry.Renew renew) {
      List<LedgerEntry.Usage> kept =
          renew.sessions().stream()
              .filter(usage ->
                  !trees.containsKey(usage.session()) || !trees.get(usage.session()).dying())
              .toList();
      if (!kept.isEmpty()) {
        stage.network.send(this, new LedgerEntry.Renew(renew.n(), kept));
      }
      return;
    }
    stage.network.send(this, entry);
  }

  private void launch(Step.Start start) {
    String session = start.lease().session();
    run(
        world.now() + world.between(0, 200 * World.MS),
        () -> {
          boolean tooLate = machine.clock() >= start.fence().fenceAt();
          if (tooLate || draining || !view.stands(start.lease().item(), start.lease().request())) {
            release(session, tooLate || draining ? Outcome.INTERRUPTED : Outcome.CANCELLED);
            return;
          }
          Lease lease = start.lease();
          var tree =
              new Tree(this, session, lease.request(), lease.item(), start.fence().deadmanAt());
          if (!out || !in || stage.log.down()) {
            // As for a tree that lives when its runner is cut off.
            tree.becomesKillable();
          }
          world.tell("start " + tree);
          watcher.started(tree);
          folder.journal.put(session, new Folder.Row(tree, machine.bootId()));
          trees.put(session, tree);
        });
  }

  void answered(Tree tree) {
    run(world.now(), () -> report(tree));
  }

  /** The result is acknowledged before the tree is verified dead, and that before the release. */
  private void report(Tree tree) {
    Outcome outcome = tree.outcome();
    if (!tree.alive() || outcome == null) {
      return;
    }
    if (!out || !in || stage.log.down()) {
      run(world.now() + World.SECOND, () -> report(tree));
      return;
    }
    stage.triage.result(tree.session, outcome);
    tree.kill();
    if (world.mutation == Mutation.RELEASES_BEFORE_THE_TREE_IS_DEAD) {
      release(tree.session, outcome);
    }
  }

  void treeDied(Tree tree) {
    world.tell("dead " + tree);
    run(
        world.now() + world.between(0, 50 * World.MS),
        () -> {
          trees.remove(tree.session);
          Outcome outcome = stage.triage.knownResult(tree.session);
          // What an agent cost that did not get to its end is not known.
          long cost = outcome == null ? RESERVE : tree.costMicros;
          release(tree.session, outcome == null ? Outcome.INTERRUPTED : outcome, cost, STARTED);
        });
  }

  private static final Receipt STARTED = new Receipt("A", 1, 0, List.of(), 0);

  private void lost(String session) {
    release(session, Outcome.LOST, 0, STARTED);
  }

  private void release(String session, Outcome outcome) {
    Tree tree = trees.get(session);
    release(session, outcome, tree == null ? 0 : RESERVE, Receipt.notStarted());
  }

  private void release(String session, Outcome outcome, long cost, Receipt receipt) {
    var release =
        new LedgerEntry.Release(
            session, outcome, null, null, null, null, Timings.ZERO, 20, cost, receipt, null);
    decide(() -> participant.dead(release, machine.clock()));
  }

  // ---- demand ----

  @Override
  public Optional<LedgerEntry.Claim> next(
      String session, LedgerState ledger, Instant ledgerNow, Turns turns) {
    return trees.size() >= slots
        ? Optional.empty()
        : view.next(session, folder.runnerId, ledger, ledgerNow)
            .filter(it -> turns.mayClaim(it.item(), Route.DEFAULT, _ -> false));
  }

  @Override
  public boolean wanted(Lease lease) {
    return view.stands(lease.item(), lease.request());
  }

  @Override
  public LedgerEntry.Usage usage(String session) {
    Tree tree = trees.get(session);
    return tree == null ? new LedgerEntry.Usage(session, 0, 0) : tree.usage();
  }

  @Override
  public OptionalLong replacedBy(SpentRequest spent) {
    return view.replacedBy(spent);
  }

  @Override
  public LedgerEntry.Runner self() {
    return new LedgerEntry.Runner(
        folder.runnerId, LedgerState.RULES, "A", slots, null, null, null, null);
  }

  // ---- time ----

  private void soon(Runnable action) {
    run(world.now() + world.between(World.MS, 15 * World.MS), action);
  }

  /**
   * Runs in this process at a true time, or when its process and machine go on after that; never
   * after its end.
   */
  private void run(long trueTime, Runnable action) {
    machine.at(
        this,
        trueTime,
        () -> {
          if (!alive) {
            return;
          }
          if (frozen) {
            whileFrozen.add(action);
          } else {
            action.run();
          }
        });
  }

  @Override
  public String toString() {
    return folder.runnerId + "@" + machine.name;
  }
}
