package dev.flyball.containment.supervisor;

import dev.flyball.containment.BootClock;
import dev.flyball.containment.kernel.Kernel;
import dev.flyball.containment.kernel.ProcessEntry;
import dev.flyball.containment.kernel.ProcessTable;
import dev.flyball.containment.session.LaunchFile;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Level B's supervisor and deadman: one process for each session, which starts the agent and
 * becomes the parent of every process that the agent leaves. It ends the whole tree when the agent
 * has ended, when the deadline on its standard input has passed, when its runner is dead, and when
 * it receives TERM. It exits when the kernel reports that it has no child left, with the agent's
 * exit code.
 *
 * <p>It is started once for each session, so it uses as little of the JDK as it can; {@link
 * SupervisorJar} lists the classes that it needs.
 */
final class SupervisorMain {
  /** Milliseconds between two kill rounds while the tree is being ended. */
  private static final long KILL_MILLIS = 5;

  private static final int NOT_STARTED = 137;

  /** The same as in {@link Deadline}, which is not one of a supervisor's classes. */
  private static final int ORDERLY_END = 32;

  private static final int QUICK_ROUNDS = 3;

  private final int runner;
  private final long tickMillis;
  private final FileChannel deadline;

  /** In centiseconds since boot, as last read. Only the main thread uses it. */
  private long end;

  /** Written before the reaper's thread starts, which reads it. */
  private int agent;

  /** The agent's exit code, and whether no child is left; written by the reaper's thread. */
  private volatile int code = -1;

  private volatile boolean empty;

  /** Whether the tree must end now; written by the shutdown hook, and after an interrupt. */
  private volatile boolean endRequested;

  /** One permit for each change that the main thread has to check. */
  private final Semaphore changes = new Semaphore(0);

  private SupervisorMain(int runner, long tickMillis, FileChannel deadline) {
    this.runner = runner;
    this.tickMillis = tickMillis;
    this.deadline = deadline;
  }

  /**
   * Arguments: the session (by which other processes recognise its supervisor), the runner's pid,
   * the tick in milliseconds, the launch file.
   */
  @SuppressWarnings("resource") // standard input stays open as long as this process runs
  public static void main(String[] args) throws IOException {
    if (!Kernel.hideFromSameUser() || !Kernel.adoptOrphans()) {
      System.err.println("flyball: not started, prctl failed");
      Runtime.getRuntime().halt(1);
    }
    Kernel.leadSession();
    LaunchFile launch = LaunchFile.take(Path.of(args[3]));
    var supervisor =
        new SupervisorMain(
            Integer.parseInt(args[1]),
            Long.parseLong(args[2]),
            new FileInputStream(FileDescriptor.in).getChannel());
    Runtime.getRuntime().addShutdownHook(new Thread(supervisor::endAndStay));
    int code = supervisor.run(launch);
    recordOrderlyEnd();
    Runtime.getRuntime().halt(code);
  }

  /**
   * Records that this process ended in order and nothing is left below it. An exit code cannot
   * record that: one above 128 may be the agent's, or that of a supervisor that was killed.
   */
  private static void recordOrderlyEnd() {
    try (var file = new RandomAccessFile("/proc/self/fd/0", "rw")) {
      file.seek(ORDERLY_END);
      file.write(1);
    } catch (IOException e) {
      // Then the runner checks for itself.
    }
  }

  private int run(LaunchFile launch) {
    String[] open = new File("/proc/self/fd").list();
    for (String descriptor : open == null ? new String[0] : open) {
      if (Integer.parseInt(descriptor) > 2) {
        Kernel.closeOnExec(Integer.parseInt(descriptor));
      }
    }
    if (endRequested || mustEnd()) {
      System.err.println("flyball: not started, its deadline has passed");
      return NOT_STARTED;
    }
    agent = launch.start();
    if (agent < 0) {
      System.err.println("flyball: not started, error " + -agent);
      return NOT_STARTED;
    }
    var reaper = new Thread(this::reapAll);
    reaper.setDaemon(true);
    reaper.start();
    while (!mustEnd() && !endRequested && code < 0 && !empty) {
      nap(tickMillis);
    }
    while (!empty) {
      killRound();
      nap(KILL_MILLIS);
    }
    return code;
  }

  /**
   * Whether the deadline has passed, or the runner is dead, in which case this process has another
   * parent.
   */
  private boolean mustEnd() {
    try {
      ByteBuffer text = ByteBuffer.allocate(32);
      if (deadline.read(text, 0) == text.capacity()) {
        String both = new String(text.array(), StandardCharsets.US_ASCII);
        long first = Long.parseLong(both.substring(0, 15).strip());
        // Two values that differ were read during a write.
        end = first == Long.parseLong(both.substring(16, 31).strip()) ? first : end;
      }
    } catch (IOException | NumberFormatException e) {
      // The deadline that was read last still applies.
    }
    try {
      return BootClock.centis() >= end || Kernel.parent() != runner;
    } catch (RuntimeException e) {
      // A deadman without a clock must end everything.
      return true;
    }
  }

  private void killRound() {
    try {
      List<ProcessEntry> below =
          ProcessTable.read().descendants((int) ProcessHandle.current().pid()).stream()
              .filter(ProcessEntry::alive)
              .toList();
      ProcessEntry.stopAndKill(below);
      // Processes that moved on meanwhile were adopted by this process, and the kernel lists them
      // quickly. On a busy machine a process that moved every 8 ms escaped each scan of all of
      // /proc for seconds.
      for (int round = 0; round < QUICK_ROUNDS; round++) {
        ProcessEntry.stopAndKill(ProcessTable.children());
      }
    } catch (RuntimeException | OutOfMemoryError e) {
      // One failed reading of /proc must not end this: the tree would live on.
    }
  }

  /**
   * Reaps children. The kernel hands every descendant to this process in the end; nothing is left
   * when there is no child any more.
   */
  private void reapAll() {
    MemorySegment status = Arena.global().allocate(4, 4);
    while (!empty) {
      int pid = Kernel.reapAny(status.address());
      if (pid == agent) {
        int how = status.asByteBuffer().order(ByteOrder.nativeOrder()).getInt(0);
        code = (how & 0x7f) == 0 ? (how >> 8) & 0xff : 128 + (how & 0x7f);
      }
      empty = pid < 0;
      changes.release();
    }
  }

  /**
   * On TERM the tree ends first, then the main thread ends this process and this thread with it.
   */
  private void endAndStay() {
    endRequested = true;
    changes.release();
    while (true) {
      LockSupport.park();
    }
  }

  private void nap(long millis) {
    try {
      if (changes.tryAcquire(millis, TimeUnit.MILLISECONDS)) {
        changes.drainPermits();
      }
    } catch (InterruptedException e) {
      // No thread interrupts this one. If it happens all the same, the tree is ended.
      endRequested = true;
    }
  }
}
