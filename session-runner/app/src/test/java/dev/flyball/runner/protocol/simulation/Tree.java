package dev.flyball.runner.protocol.simulation;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * An agent's process tree with its deadman. It lives until somebody kills it: an agent that has
 * answered may leave children behind.
 */
final class Tree {
  /** Residual of the design: a deadman kill that takes longer than this is not covered. */
  private static final long SLOWEST_KILL = 2_500 * World.MS;

  private static final long DEADMAN_TICK = 500 * World.MS;

  final String session;
  final String request;
  final ItemKey item;
  final Machine machine;
  final Incarnation owner;

  /** What its agent spends, all of it as soon as it runs; it may report it at its end only. */
  final long costMicros;

  private final boolean reports;
  private final World world;
  private final Watcher watcher;
  private long deadmanAt;
  private boolean alive = true;
  private boolean answered;
  private boolean slow;
  private boolean unkillable;
  private boolean wanted;
  private long overdueSince = -1;
  private @Nullable Outcome outcome;

  Tree(Incarnation owner, String session, String request, ItemKey item, long deadmanAt) {
    this.session = session;
    this.request = request;
    this.item = item;
    this.owner = owner;
    this.machine = owner.machine;
    this.world = owner.world;
    this.watcher = owner.watcher;
    costMicros = world.random.nextLong(Incarnation.RESERVE + 1);
    reports = world.random.nextBoolean();
    extend(deadmanAt);
    long work = world.oneIn(3) ? 150 * World.SECOND : 40 * World.SECOND;
    machine.at(this, world.now() + world.between(World.SECOND, work), this::answer);
    if (world.oneIn(12)) {
      slow = true;
      world.count(Fault.SLOW_KILL);
    } else if (world.oneIn(12)) {
      unkillable = true;
      world.count(Fault.UNKILLABLE);
    }
  }

  /** The runner wants it dead. */
  boolean dying() {
    return wanted;
  }

  boolean alive() {
    return alive;
  }

  /**
   * Not counted: its machine stands still, or goes on again after the deadline and is about to kill
   * it.
   */
  boolean excused() {
    return machine.suspended() || overdueSince >= 0;
  }

  /** What a renewal knows of it. */
  LedgerEntry.Usage usage() {
    return new LedgerEntry.Usage(session, reports ? 10 : 0, reports ? costMicros / 2 : 0);
  }

  @Nullable Outcome outcome() {
    return outcome;
  }

  void extend(long until) {
    deadmanAt = Math.max(deadmanAt, until);
    if (machine.clock() < deadmanAt) {
      // Moved after its machine went on, as by a fence that counts from receipt: it lives, and
      // counts.
      overdueSince = -1;
    }
    if (world.mutation != Mutation.NO_DEADMAN) {
      long tick = world.between(0, DEADMAN_TICK);
      machine.at(this, machine.trueTimeOf(deadmanAt) + tick, this::deadman);
    }
  }

  private void deadman() {
    if (alive && machine.clock() >= deadmanAt) {
      slow = false;
      dieWithin(SLOWEST_KILL);
    }
  }

  /** The machine goes on after a suspension. */
  void machineResumed() {
    if (alive && machine.clock() >= deadmanAt) {
      long since = world.now();
      overdueSince = since;
      world.after(
          DEADMAN_TICK + SLOWEST_KILL + 500 * World.MS,
          () -> {
            // Another value: suspended once more and judged from then on, or renewed in between.
            if (alive && !machine.suspended() && overdueSince == since) {
              throw new Violation("INV-5", this + " outlived a deadman that its machine let go on");
            }
          });
    }
  }

  private void answer() {
    if (alive && !answered) {
      answered = true;
      outcome = world.oneIn(4) ? Outcome.FAILED : Outcome.COMPLETED;
      owner.answered(this);
    }
  }

  /** The runner kills it. */
  void kill() {
    if (!wanted) {
      wanted = true;
      dieWithin(slow ? 60 * World.SECOND : SLOWEST_KILL);
    }
  }

  /**
   * Its runner is no longer able to keep its slot: then a process that nobody can kill is a
   * residual of the design.
   */
  void becomesKillable() {
    unkillable = false;
  }

  private void dieWithin(long most) {
    long now = world.now();
    if (unkillable) {
      long stubborn = now + world.between(20 * World.SECOND, 120 * World.SECOND);
      machine.at(this, stubborn, this::becomesKillable);
      machine.at(this, now + World.SECOND, () -> retry(most));
    } else {
      machine.at(this, now + world.between(0, most), this::die);
    }
  }

  private void retry(long most) {
    if (alive && unkillable) {
      machine.at(this, world.now() + World.SECOND, () -> retry(most));
    } else if (alive) {
      machine.at(this, world.now() + world.between(0, Math.min(most, World.SECOND)), this::die);
    }
  }

  void die() {
    if (alive) {
      alive = false;
      watcher.died(this);
      owner.treeDied(this);
    }
  }

  @Override
  public String toString() {
    return "session " + session + " of " + item + " on " + owner;
  }
}
