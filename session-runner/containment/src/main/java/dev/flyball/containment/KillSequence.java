package dev.flyball.containment;

import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.ContainedProcess.KillReport;
import dev.flyball.containment.ContainedProcess.Sample;
import dev.flyball.containment.ProcessTable.Entry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The kill ladder, the same at every level: signal, wait until nothing runs, then a harder signal.
 * It records the tree's peaks.
 */
final class KillSequence {
  private static final Duration LOOK = Duration.ofMillis(10);
  private static final Duration AFTER_KILL = Duration.ofMillis(5);

  /** Three scans without a pause were seen to miss a process that moves to a new pid every 8 ms. */
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(20);

  private final Tree tree;
  private final CountDownLatch sharp = new CountDownLatch(1);

  /** Written under this object's monitor. */
  private @Nullable KillReport clean;

  private int processesPeak;
  private long memoryPeak;

  KillSequence(Tree tree) {
    this.tree = tree;
  }

  /** The operations of the ladder on a tree, at any level. */
  interface Tree {
    /** Live processes and zombies of the agent's tree, without the containment's own. */
    List<Entry> members(ProcessTable table);

    /** The agent itself; empty if it has ended. */
    List<Entry> main(ProcessTable table);

    /** Kills everything that can be found, the containment's own processes included. */
    void killAll(ProcessTable table);

    /** Every process that still lives, the containment's own included. */
    List<Entry> left(ProcessTable table);

    /** Reads /proc to search for processes that are left. */
    default ProcessTable look() {
      return ProcessTable.read();
    }

    /**
     * Whether the last {@link #left} could decide for every process whether it belongs to the tree.
     */
    boolean sure();

    /** How many scans in a row must find nothing: one where the kernel guarantees the result. */
    int cleanLooks();

    /** Whether the agent, or a containment process around it, runs. */
    boolean running();
  }

  /** Counts the tree and records its peaks. */
  synchronized Sample seen(ProcessTable table) {
    int processes = 0;
    int zombies = 0;
    long memory = 0;
    for (Entry member : tree.members(table)) {
      if (member.alive()) {
        processes++;
        memory += member.memoryBytes();
      } else {
        zombies++;
      }
    }
    processesPeak = Math.max(processesPeak, processes);
    memoryPeak = Math.max(memoryPeak, memory);
    return new Sample(processes, memory, zombies);
  }

  /**
   * Ends the tree. A second call waits for the first. A call whose ladder has no waits makes the
   * first skip its waits.
   */
  KillReport climb(KillLadder ladder) {
    if (ladder.interrupt().isZero() && ladder.terminate().isZero()) {
      sharp.countDown();
    }
    return climbAlone(ladder);
  }

  private synchronized KillReport climbAlone(KillLadder ladder) {
    KillReport known = clean;
    if (known != null) {
      return known;
    }
    var steps = new ArrayList<String>();
    if (tree.running()) {
      ProcessTable table = ProcessTable.read();
      seen(table);
      if (patient(ladder.interrupt())) {
        steps.add("INT");
        tree.main(table).forEach(e -> ProcessSignals.signalIfSame(e, Kernel.INT));
        awaitEnd(ladder.interrupt());
      }
      if (tree.running() && patient(ladder.terminate())) {
        steps.add("TERM");
        table = ProcessTable.read();
        seen(table);
        for (Entry member : tree.members(table)) {
          ProcessSignals.signalIfSame(member, Kernel.TERM);
          // A stopped process never runs its handler.
          ProcessSignals.signalIfSame(member, Kernel.CONT);
        }
        awaitEnd(ladder.terminate());
      }
    }
    int survivors = verify(ladder.verify(), steps);
    var report = new KillReport(steps, survivors, processesPeak, memoryPeak);
    if (survivors == 0) {
      clean = report;
    }
    return report;
  }

  private boolean patient(Duration wait) {
    return !wait.isZero() && sharp.getCount() > 0;
  }

  private void awaitEnd(Duration wait) {
    long end = System.nanoTime() + wait.toNanos();
    while (tree.running() && System.nanoTime() < end) {
      if (hurried(LOOK)) {
        return;
      }
    }
  }

  private boolean hurried(Duration wait) {
    try {
      return sharp.await(wait.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      // A kill is finished whatever happens to the thread that requested it; the caller sees the
      // interrupt afterwards.
      Thread.currentThread().interrupt();
      return true;
    }
  }

  /**
   * Kills until enough scans in a row find nothing, or the time is up. Returns how many processes
   * still live; at least one where the scans could not decide.
   */
  private int verify(Duration limit, List<String> steps) {
    long end = System.nanoTime() + limit.toNanos();
    boolean interrupted = Thread.interrupted();
    int clean = 0;
    int survivors = 0;
    while (clean < tree.cleanLooks()) {
      ProcessTable table = tree.look();
      seen(table);
      survivors = tree.left(table).size();
      if (survivors == 0 && !tree.running()) {
        clean += tree.sure() ? 1 : 0;
        if (clean < tree.cleanLooks()) {
          if (System.nanoTime() > end) {
            // Nothing was found, but it is not certain that nothing is there.
            survivors = 1;
            break;
          }
          interrupted |= ProcessSignals.pause(BETWEEN_LOOKS);
        }
        continue;
      }
      clean = 0;
      if (!steps.contains("KILL")) {
        steps.add("KILL");
      }
      tree.killAll(table);
      if (System.nanoTime() > end) {
        // A containment process that cannot be reaped yet is a survivor too: the tree is not known
        // to be dead.
        survivors = Math.max(1, survivors);
        break;
      }
      interrupted |= ProcessSignals.pause(AFTER_KILL);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return survivors;
  }
}
