package dev.flyball.runner.protocol.simulation;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.ledger.Scope;
import java.util.List;
import java.util.Map;

/**
 * One seeded story: three or four runners, 200 steps of work and faults, then everything heals and
 * must settle.
 */
final class Schedule {
  static final int STEPS = 200;
  private static final long PLENTY = 1_000_000_000_000L;
  private static final List<ItemKey> ITEMS =
      List.of(
          ItemKey.parse("acme/web/1"),
          ItemKey.parse("acme/web/2"),
          ItemKey.parse("acme/ado/3"),
          ItemKey.parse("zeta/web/4"),
          ItemKey.parse("zeta/web/5"));

  private final World world;
  private final Stage stage;
  private final int faultOneIn;
  // Half of the schedules know few kinds of mishap: some errors need the same one several times.
  private final List<Integer> kinds;

  private Schedule(long seed, Mutation mutation, boolean telling) {
    world = new World(seed, mutation, telling);
    stage = new Stage(world, List.of(0, 20, 100, 250).get(world.random.nextInt(4)));
    faultOneIn = List.of(3, 6, 15).get(world.random.nextInt(3));
    int few = world.random.nextBoolean() ? 1 + world.random.nextInt(3) : 4 * Mishap.KINDS;
    kinds = world.random.ints(few, 0, Mishap.KINDS).boxed().toList();
  }

  /** Runs it; a broken invariant is thrown. */
  static Map<Fault, Integer> run(long seed, Mutation mutation) {
    return play(new Schedule(seed, mutation, false));
  }

  /** Runs it again and answers with the last events before the violation. */
  static String story(long seed, Mutation mutation) {
    var schedule = new Schedule(seed, mutation, true);
    try {
      play(schedule);
      return "no violation";
    } catch (Violation violation) {
      return schedule.world.story() + "\n" + violation.getMessage();
    }
  }

  private static Map<Fault, Integer> play(Schedule schedule) {
    schedule.open();
    for (int step = 0; step < STEPS; step++) {
      schedule.step();
    }
    schedule.heal();
    schedule.settle();
    return schedule.world.faults;
  }

  private void open() {
    int machines = 3 + world.random.nextInt(2);
    for (int i = 0; i < machines; i++) {
      boolean exact = world.oneIn(3);
      double rate = exact ? 1 : 0.99 + world.random.nextDouble() * 0.02;
      if (!exact) {
        world.count(Fault.CLOCK_RATE);
      }
      var machine = new Machine("m" + i, world, rate);
      stage.machines.add(machine);
      start(machine, new Folder("runner" + i));
    }
  }

  private void step() {
    long pause =
        world.oneIn(10) ? world.between(0, 15 * World.SECOND) : world.between(0, 1_200 * World.MS);
    world.runUntil(world.now() + pause);
    if (world.oneIn(4)) {
      stage.triage.changed(ITEMS.get(world.random.nextInt(ITEMS.size())));
    }
    if (world.oneIn(8)) {
      one(stage.runners).checkpoint();
    }
    if (world.oneIn(faultOneIn)) {
      new Mishap(stage, this).happen(one(kinds));
    }
    restartTheDead();
  }

  void start(Machine machine, Folder folder) {
    var runner = new Incarnation(stage, machine, folder, 1 + world.random.nextInt(3));
    stage.runners.add(runner);
    boolean scratch = world.random.nextBoolean();
    LedgerEntry.Checkpoint from =
        scratch
            ? new LedgerEntry.Checkpoint(-1, 1, null, LedgerState.empty().snapshot())
            : stage.log.checkpoint();
    if (stage.runners.size() > stage.machines.size()) {
      world.count(scratch ? Fault.RESTART_FROM_START : Fault.RESTART_FROM_CHECKPOINT);
    }
    world.tell("start of " + runner + " reading from " + (from.at() + 1));
    runner.start(from);
  }

  /** A supervisor starts dead runners again, on their folder, sooner or later. */
  private void restartTheDead() {
    for (Incarnation runner : List.copyOf(stage.runners)) {
      if (!runner.alive() && !runner.machine.suspended() && (world.healed() || world.oneIn(6))) {
        stage.runners.remove(runner);
        start(runner.machine, runner.folder);
      }
    }
  }

  private void heal() {
    world.heal();
    stage.log.down(false);
    stage.triage.lag(false);
    for (Machine machine : stage.machines) {
      if (machine.suspended()) {
        machine.resume();
        stage.watcher.machineResumed(machine);
      }
    }
    for (Incarnation runner : stage.runners) {
      if (runner.frozen()) {
        runner.thaw();
      }
      runner.links(true, true);
      runner.requestsLag(false);
    }
    restartTheDead();
    command();
  }

  /** An operator puts things right, and again if his command came too late. */
  private void command() {
    LedgerState truth = stage.log.truth();
    if (!truth.pauses(stage.log.clock()).isEmpty()) {
      String scope = truth.pauses(stage.log.clock()).getFirst().scope();
      stage.log.append(
          new LedgerEntry.Resume(scope, truth.lastOperator(scope), "operator", "healed"));
    }
    for (String scope : List.of(Scope.GLOBAL, Scope.tenant("acme"))) {
      Long limit = truth.limits(scope).dailyCostMicros();
      if (limit != null && limit < PLENTY) {
        stage.log.append(
            new LedgerEntry.Budget(
                scope, new Limits(PLENTY, null), truth.lastOperator(scope), "operator", "healed"));
      }
    }
    for (String scope : List.of(Scope.GLOBAL, Scope.tenant("acme"))) {
      if (truth.initialized() && truth.cap(scope).orElse(2) < 2) {
        stage.log.append(
            new LedgerEntry.Cap(scope, 2, truth.lastOperator(scope), "operator", "healed"));
      }
    }
  }

  private void settle() {
    long latest = world.now() + 1_500 * World.SECOND;
    while (!settled()) {
      world.runUntil(world.now() + 2 * World.SECOND);
      restartTheDead();
      command();
      if (world.now() > latest) {
        throw new Violation("liveness", stage.unsettled());
      }
    }
    // Whatever is still on its way arrives, and starts nothing that nobody wants.
    int starts = stage.watcher.starts();
    world.runUntil(world.now() + 100 * World.SECOND);
    if (stage.watcher.starts() != starts || !settled()) {
      throw new Violation("INV-6", "work went on after everything was settled");
    }
    world.runUntil(world.now() + World.SECOND);
    stage.watcher.finished();
  }

  private boolean settled() {
    LedgerState truth = stage.log.truth();
    return stage.triage.settled()
        && truth.live() == 0
        && truth.spentRequests().isEmpty()
        && !stage.watcher.anyAlive();
  }

  <T> T one(List<T> of) {
    return of.get(world.random.nextInt(of.size()));
  }
}
