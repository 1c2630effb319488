package dev.flyball.runner.protocol.simulation;

import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Limits;
import dev.flyball.contract.ledger.Scope;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One thing that goes wrong, for a while. */
final class Mishap {
  private final Stage stage;
  private final Schedule schedule;
  private final World world;

  Mishap(Stage stage, Schedule schedule) {
    this.stage = stage;
    this.schedule = schedule;
    this.world = stage.world;
  }

  /** How many kinds {@link #happen} chooses from. */
  static final int KINDS = 18;

  /**
   * @param kind below {@link #KINDS}
   */
  void happen(int kind) {
    Incarnation runner = schedule.one(stage.runners);
    Machine machine = runner.machine;
    if (!runner.alive() || machine.suspended()) {
      return;
    }
    switch (kind) {
      case 0 -> {
        count(Fault.RUNNER_CRASH, runner);
        runner.crash(world.random.nextBoolean());
      }
      case 1 -> machineCrash(machine);
      case 2 -> freeze(runner);
      case 3 -> suspend(machine);
      case 4 -> cut(runner, Fault.CUT_OUT, false, true);
      case 5 -> cut(runner, Fault.CUT_IN, true, false);
      case 6 -> cut(runner, Fault.CUT_BOTH, false, false);
      case 7 -> cutInTurn(runner);
      case 8 -> outage();
      case 9 -> {
        world.count(Fault.CLOCK_STEP);
        stage.log.stepClock(step());
      }
      case 10 -> operator();
      case 11 -> copiedFolder(runner);
      case 12 -> {
        count(Fault.REQUESTS_LAG, runner);
        runner.requestsLag(true);
        world.after(brief(), () -> runner.requestsLag(false));
      }
      case 14 -> {
        count(Fault.PROVIDER_LIMIT, runner);
        runner.refused(stage.log.clock().plusNanos(brief()));
      }
      case 15 -> {
        count(Fault.ACCOUNT_EXHAUSTED, runner);
        runner.refused(null);
        world.after(whole(), this::resumeProvider);
      }
      case 16 -> {
        count(Fault.LEDGER_THREAD_STALLS, runner);
        runner.stall(brief());
      }
      case 13 -> {
        world.count(Fault.TRIAGE_LAG);
        stage.triage.lag(true);
        world.after(brief(), () -> stage.triage.lag(false));
      }
      default -> {
        count(Fault.GRACEFUL_STOP, runner);
        runner.stop();
      }
    }
  }

  private void machineCrash(Machine machine) {
    world.count(Fault.MACHINE_CRASH);
    world.tell("reboot of " + machine.name);
    stage.runners.stream()
        .filter(each -> each.machine == machine)
        .forEach(each -> each.crash(true));
    stage.watcher.killAllOn(machine);
    machine.reboot();
  }

  private void freeze(Incarnation runner) {
    count(Fault.RUNNER_FREEZE, runner);
    runner.freeze();
    world.after(
        whole(),
        () -> {
          if (runner.frozen()) {
            world.tell("thaw of " + runner);
            runner.thaw();
          }
        });
  }

  private void suspend(Machine machine) {
    world.count(Fault.MACHINE_SUSPEND);
    world.tell("suspend of " + machine.name);
    machine.suspend();
    stage.runners.stream()
        .filter(each -> each.machine == machine)
        .forEach(Incarnation::mayNotKeepItsSlots);
    world.after(
        whole(),
        () -> {
          if (machine.suspended()) {
            world.tell("resume of " + machine.name);
            machine.resume();
            stage.watcher.machineResumed(machine);
          }
        });
  }

  /** It is cut in stages: one way, both ways, the other way, until it heals. */
  private void cut(Incarnation runner, Fault fault, boolean out, boolean in) {
    count(fault, runner);
    runner.links(out, in);
    long until = whole() / 2;
    for (int stages = world.random.nextInt(4); stages > 0; stages--) {
      int which = world.random.nextInt(3);
      world.after(until, () -> links(runner, which == 0, which == 1));
      until += world.between(World.SECOND, 40 * World.SECOND);
    }
    world.after(until, () -> links(runner, true, true));
  }

  /** It goes deaf, then dumb as well, then hears again what it had said long ago. */
  private void cutInTurn(Incarnation runner) {
    count(Fault.CUT_IN, runner);
    runner.links(true, false);
    long both = world.between(World.SECOND, 15 * World.SECOND);
    long hears = both + world.between(5 * World.SECOND, 25 * World.SECOND);
    world.after(both, () -> links(runner, false, false));
    world.after(hears, () -> links(runner, false, true));
    world.after(hears + whole(), () -> links(runner, true, true));
  }

  private void links(Incarnation runner, boolean out, boolean in) {
    world.tell("links of " + runner + ": out " + out + " in " + in);
    if (!world.healed()) {
      runner.links(out, in);
    }
  }

  private void outage() {
    world.count(Fault.BROKER_OUTAGE);
    world.tell("broker outage");
    stage.log.down(true);
    stage.runners.forEach(Incarnation::mayNotKeepItsSlots);
    world.after(whole(), () -> stage.log.down(false));
  }

  private void operator() {
    LedgerState truth = stage.log.truth();
    String scope = world.random.nextBoolean() ? Scope.GLOBAL : Scope.tenant("acme");
    long seen = truth.lastOperator(scope);
    if (world.oneIn(4)) {
      world.count(Fault.STALE_COMMAND);
      seen--;
    }
    LedgerEntry entry;
    if (world.oneIn(3)) {
      world.count(Fault.BUDGET_CHANGE);
      long sessions = List.of(0L, 3L, 10L, 1_000L).get(world.random.nextInt(4));
      var limits = new Limits(sessions * Incarnation.RESERVE, null);
      entry = new LedgerEntry.Budget(scope, limits, seen, "operator", "test");
    } else if (world.random.nextBoolean()) {
      world.count(Fault.CAP_CHANGE);
      entry = new LedgerEntry.Cap(scope, world.random.nextInt(5), seen, "operator", "test");
    } else {
      world.count(Fault.PAUSE);
      entry = new LedgerEntry.Pause(scope, until(), seen, "operator", "test");
    }
    world.after(world.between(0, World.SECOND), () -> stage.log.append(entry));
  }

  private void resumeProvider() {
    String scope = Scope.provider(Incarnation.PROVIDER);
    long seen = stage.log.truth().lastOperator(scope);
    stage.log.append(new LedgerEntry.Resume(scope, seen, "operator", "paid"));
  }

  private @Nullable Instant until() {
    return world.oneIn(3) ? null : stage.log.clock().plusNanos(world.between(0, 20 * World.SECOND));
  }

  /**
   * A second runner starts on a copy of the folder of one that lives, here or on another machine.
   */
  private void copiedFolder(Incarnation runner) {
    if (stage.runners.size() > 5) {
      return;
    }
    count(Fault.COPIED_FOLDER, runner);
    Machine machine = world.oneIn(3) ? runner.machine : schedule.one(stage.machines);
    if (!machine.suspended()) {
      schedule.start(machine, runner.folder.copy());
    }
  }

  private long step() {
    long size = List.of(1L, 60L, 3_600L, 8 * 86_400L).get(world.random.nextInt(4)) * World.SECOND;
    return world.random.nextBoolean() ? size : -size;
  }

  private long brief() {
    return world.between(World.SECOND, 20 * World.SECOND);
  }

  /** Shorter or longer than a lease. */
  private long whole() {
    return world.between(World.SECOND, 70 * World.SECOND);
  }

  private void count(Fault fault, Incarnation runner) {
    world.count(fault);
    world.tell(fault + " of " + runner);
  }
}
