package dev.flyball.runner.process;

import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A running agent and everything that it has started. All methods may be called from any thread.
 */
public interface ContainedProcess {

  /** What identifies the outermost process across restarts: a pid alone is reused. */
  Identity identity();

  /** The agent's standard output; must be drained. */
  InputStream out();

  /** The agent's standard error; must be drained. */
  InputStream err();

  /**
   * Moves the deadman: the tree may live until this time since boot ({@link BootClock}). May wait
   * for a disk; false if it could not be told.
   */
  boolean extendTo(Duration end);

  /** As {@link #extendTo}, for callers without a lease: the tree may live this long from now. */
  default boolean extend(Duration life) {
    return extendTo(BootClock.sinceBoot().plus(life));
  }

  /** Completes when the agent itself (not its tree) has ended. */
  CompletableFuture<Exit> onExit();

  /**
   * Counts the tree. All sessions share one pass over /proc.
   *
   * @param age how old that pass may be; zero counts now
   */
  Sample sample(Duration age);

  /** Counts the tree now. */
  default Sample sample() {
    return sample(Duration.ZERO);
  }

  /**
   * Ends the tree step by step and verifies that nothing of it is left. Idempotent; a second call
   * joins the first or sharpens it. Blocks until the tree is dead or {@code verify} has passed.
   */
  KillReport kill(KillLadder ladder);

  /**
   * Who a process is.
   *
   * @param bootId the kernel's boot id
   * @param pidNamespace inode of the PID namespace that the pid counts in
   * @param startTicks field 22 of /proc/PID/stat
   */
  record Identity(long pid, long startTicks, String bootId, String pidNamespace) {}

  /**
   * How the agent ended.
   *
   * @param code its exit code; by the shell's convention 128 + n if signal n ended it
   * @param signal n, also when the agent itself exited with 128 + n, as many do; 0 if none
   */
  record Exit(int code, int signal) {
    /** Reads a code by the shell's convention. */
    public static Exit of(int code) {
      return new Exit(code, code > 128 && code <= 128 + 64 ? code - 128 : 0);
    }

    /** Whether a signal ended it. */
    public boolean signalled() {
      return signal > 0;
    }
  }

  /**
   * A count of the tree.
   *
   * @param processes live processes, the agent included, the containment's own left out
   * @param memoryBytes sum of their resident memory
   * @param zombies ended processes that their parents have not reaped
   */
  record Sample(int processes, long memoryBytes, int zombies) {
    /** Nothing is left. */
    public static final Sample NONE = new Sample(0, 0, 0);

    /** A count without zombies. */
    public Sample(int processes, long memoryBytes) {
      this(processes, memoryBytes, 0);
    }
  }

  /**
   * How hard to try; a zero step is skipped.
   *
   * @param interrupt INT first, this long, where the adapter says that it ends a turn cleanly
   * @param terminate then TERM and CONT, this long
   * @param verify then KILL, and this long to see that nothing is left
   */
  record KillLadder(Duration interrupt, Duration terminate, Duration verify) {
    /** CONT and KILL at once: the lease fence. */
    public static KillLadder now(Duration verify) {
      return new KillLadder(Duration.ZERO, Duration.ZERO, verify);
    }
  }

  /**
   * What ending the tree took.
   *
   * @param steps in order, for example {@code TERM}, {@code KILL}; empty if it had ended by itself
   * @param survivors processes still alive
   */
  record KillReport(List<String> steps, int survivors, int processesPeak, long memoryPeakBytes) {
    public KillReport {
      steps = List.copyOf(steps);
    }
  }
}
