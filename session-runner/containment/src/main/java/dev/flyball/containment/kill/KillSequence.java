package dev.flyball.containment.kill;

import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.ContainedProcess.KillReport;
import dev.flyball.containment.ContainedProcess.Sample;
import dev.flyball.containment.kernel.Kernel;
import dev.flyball.containment.kernel.ProcessEntry;
import dev.flyball.containment.kernel.ProcessTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The kill ladder, the same at every level: signal, wait until nothing runs, then a harder signal.
 * It records the tree's peaks.
 */
public final class KillSequence {
  private static final Duration CHECK = Duration.ofMillis(10);
  private static final Duration AFTER_KILL = Duration.ofMillis(5);

  /** Three scans without a pause were seen to miss a process that moves to a new pid every 8 ms. */
  private static final Duration BETWEEN_SCANS = Duration.ofMillis(20);

  private final Tree tree;

  /** Open from the first kill without waits on: it ends the waits of the one that runs. */
  private final CountDownLatch skipWaits = new CountDownLatch(1);

  /** The report of the kill that left nothing; written under this object's monitor. */
  private @Nullable KillReport finished;

  private int processesPeak;
  private long memoryPeak;

  /** A kill sequence for one tree; a tree has only one. */
  public KillSequence(Tree tree) {
    this.tree = tree;
  }

  /** The operations of the ladder on a tree, at any level. */
  public interface Tree {
    /** Live processes and zombies of the agent's tree, without the containment's own. */
    List<ProcessEntry> members(ProcessTable table);

    /** The agent itself; empty if it has ended. */
    Optional<ProcessEntry> agent(ProcessTable table);

    /** Called before each kill, which may already have been reported as finished. */
    default void prepareKill() {}

    /** Kills everything that can be found, the containment's own processes included. */
    void killAll(ProcessTable table);

    /** Every process that still lives, the containment's own included. */
    List<ProcessEntry> survivors(ProcessTable table);

    /** Reads /proc to search for survivors. */
    default ProcessTable scan() {
      return ProcessTable.read();
    }

    /** Whether the last {@link #survivors} could decide for every process. */
    default boolean conclusive() {
      return true;
    }

    /** How many scans in a row must find nothing: one where the kernel guarantees the result. */
    default int requiredScans() {
      return 1;
    }

    /**
     * Whether the containment process that has ended proved that nothing is left, so that no scan
     * is needed. Where it was killed it proved nothing.
     */
    default boolean provedEmpty() {
      return false;
    }

    /** Whether the agent, or a containment process around it, runs. */
    boolean running();

    /** Called when nothing is left of the tree, perhaps more than once. */
    default void release() {}
  }

  /** Counts the tree and records its peaks. */
  public synchronized Sample sample(ProcessTable table) {
    int processes = 0;
    int zombies = 0;
    long memory = 0;
    for (ProcessEntry member : tree.members(table)) {
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

  /** Ends the tree; a second call waits, and makes the first skip its waits if it has none. */
  public KillReport kill(KillLadder ladder) {
    tree.prepareKill();
    if (ladder.interrupt().isZero() && ladder.terminate().isZero()) {
      skipWaits.countDown();
    }
    KillReport report = killOnce(ladder);
    if (report.survivors() == 0) {
      tree.release();
    }
    return report;
  }

  private synchronized KillReport killOnce(KillLadder ladder) {
    KillReport known = finished;
    if (known != null) {
      return known;
    }
    var steps = new ArrayList<String>();
    if (tree.running()) {
      ProcessTable table = ProcessTable.read();
      sample(table);
      if (waits(ladder.interrupt())) {
        steps.add("INT");
        tree.agent(table).ifPresent(agent -> agent.signal(Kernel.INT));
        awaitEnd(ladder.interrupt());
      }
      if (tree.running() && waits(ladder.terminate())) {
        steps.add("TERM");
        table = ProcessTable.read();
        sample(table);
        for (ProcessEntry member : tree.members(table)) {
          member.signal(Kernel.TERM);
          // A stopped process never runs its handler.
          member.signal(Kernel.CONT);
        }
        awaitEnd(ladder.terminate());
      }
    }
    int survivors = killAndVerify(ladder.verify(), steps);
    var report = new KillReport(steps, survivors, processesPeak, memoryPeak);
    if (survivors == 0) {
      finished = report;
    }
    return report;
  }

  private boolean waits(Duration wait) {
    return !wait.isZero() && skipWaits.getCount() > 0;
  }

  private void awaitEnd(Duration wait) {
    long end = System.nanoTime() + wait.toNanos();
    while (tree.running() && System.nanoTime() < end) {
      if (mustSkip(CHECK)) {
        return;
      }
    }
  }

  private boolean mustSkip(Duration wait) {
    try {
      return skipWaits.await(wait.toNanos(), TimeUnit.NANOSECONDS);
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
  private int killAndVerify(Duration limit, List<String> steps) {
    long end = System.nanoTime() + limit.toNanos();
    boolean interrupted = Thread.interrupted();
    int cleanScans = 0;
    int survivors = 0;
    while (cleanScans < tree.requiredScans()) {
      if (!tree.running() && tree.provedEmpty()) {
        survivors = 0;
        break;
      }
      ProcessTable table = tree.scan();
      sample(table);
      survivors = tree.survivors(table).size();
      if (survivors == 0 && !tree.running()) {
        cleanScans += tree.conclusive() ? 1 : 0;
        if (cleanScans < tree.requiredScans()) {
          if (System.nanoTime() > end) {
            // Nothing was found, but it is not certain that nothing is there.
            survivors = 1;
            break;
          }
          interrupted |= pause(BETWEEN_SCANS);
        }
        continue;
      }
      cleanScans = 0;
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
      interrupted |= pause(AFTER_KILL);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return survivors;
  }

  /** Waits; true if the thread was interrupted meanwhile, and clears the interrupt. */
  static boolean pause(Duration time) {
    LockSupport.parkNanos(time.toNanos());
    return Thread.interrupted();
  }
}
