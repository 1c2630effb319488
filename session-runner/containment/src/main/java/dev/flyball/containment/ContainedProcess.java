package dev.flyball.containment;

import dev.flyball.containment.kernel.ProcessEntry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A running agent and everything that it has started. Any thread may call all methods. */
public interface ContainedProcess {

  /** Identifies the outermost process across restarts: a pid alone is reused. */
  Identity identity();

  /** The agent's standard output; must be drained. */
  InputStream out();

  /** The agent's standard error; must be drained. */
  InputStream err();

  /**
   * Moves the deadman's deadline: the tree may live until this time since boot ({@link BootClock}).
   * May wait for a disk; false if the deadman could not be reached.
   */
  boolean extendTo(Duration end);

  /** Completes when the agent itself (not its tree) has ended. */
  CompletableFuture<Exit> onExit();

  /**
   * Counts the tree. All sessions share one pass over /proc.
   *
   * @param age the greatest age of that pass; zero makes a new one
   */
  Sample sample(Duration age);

  /**
   * Ends the tree step by step and verifies that nothing of it is left. Idempotent. A second call
   * waits for the first; a call whose ladder has no waits makes the first skip its waits. Blocks
   * until the tree is dead or {@code verify} has passed.
   */
  KillReport kill(KillLadder ladder);

  /**
   * Identifies a process.
   *
   * @param bootId the kernel's boot id
   * @param pidNamespace inode of the PID namespace to which the pid belongs
   * @param startTicks field 22 of /proc/PID/stat
   */
  record Identity(long pid, long startTicks, String bootId, String pidNamespace) {
    private static final String BOOT = bootIdHere();
    private static final String NAMESPACE = namespaceHere();

    /** This JVM. */
    public static Identity own() {
      return of(ProcessHandle.current().pid());
    }

    /** A process that this JVM has started; start time 0 if it has already exited. */
    public static Identity of(long pid) {
      long ticks = ProcessEntry.read((int) pid).map(ProcessEntry::startTicks).orElse(0L);
      return new Identity(pid, ticks, BOOT, NAMESPACE);
    }

    /** Whether exactly this process lives, in this boot and this PID namespace. */
    public boolean alive() {
      return bootId.equals(BOOT)
          && pidNamespace.equals(NAMESPACE)
          && ProcessEntry.read((int) pid)
              .filter(entry -> entry.startTicks() == startTicks && entry.alive())
              .isPresent();
    }

    private static String bootIdHere() {
      try {
        return Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
      } catch (IOException e) {
        return "unknown";
      }
    }

    private static String namespaceHere() {
      try {
        return Files.readSymbolicLink(Path.of("/proc/self/ns/pid")).toString();
      } catch (IOException e) {
        return "unknown";
      }
    }
  }

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
   * @param processes live processes, the agent included, without the containment's own
   * @param memoryBytes sum of their resident memory
   * @param zombies ended processes that their parents have not reaped
   */
  record Sample(int processes, long memoryBytes, int zombies) {}

  /**
   * The durations of the kill's steps; a zero step is skipped.
   *
   * @param interrupt INT first, for this long, where the adapter knows that it ends a turn cleanly
   * @param terminate then TERM and CONT, for this long
   * @param verify then KILL, and this long to verify that nothing is left
   */
  record KillLadder(Duration interrupt, Duration terminate, Duration verify) {
    /** CONT and KILL without a wait: the lease fence. */
    public static KillLadder now(Duration verify) {
      return new KillLadder(Duration.ZERO, Duration.ZERO, verify);
    }

    /** The name of the signal that a tree gets first, as {@link KillReport#steps} has it. */
    public String first() {
      return interrupt.isPositive() ? "INT" : terminate.isPositive() ? "TERM" : "KILL";
    }
  }

  /**
   * The report of a kill.
   *
   * @param steps in order, for example {@code TERM}, {@code KILL}; empty if the tree had ended by
   *     itself
   * @param survivors processes still alive
   */
  record KillReport(List<String> steps, int survivors, int processesPeak, long memoryPeakBytes) {
    public KillReport {
      steps = List.copyOf(steps);
    }
  }
}
