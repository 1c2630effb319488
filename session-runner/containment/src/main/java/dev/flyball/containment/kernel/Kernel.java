package dev.flyball.containment.kernel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The system calls that the JDK does not offer. All numbers are Linux's. */
public final class Kernel {
  /** The signal SIGINT. */
  public static final int INT = 2;

  /** The signal SIGKILL. */
  public static final int KILL = 9;

  /** The signal SIGTERM. */
  public static final int TERM = 15;

  /** The signal SIGCONT. */
  public static final int CONT = 18;

  /** The signal SIGSTOP. */
  public static final int STOP = 19;

  private static final int PR_SET_DUMPABLE = 4;
  private static final int PR_SET_CHILD_SUBREAPER = 36;
  private static final int SC_PAGESIZE = 30;
  private static final int P_PID = 1;
  private static final int WNOHANG = 1;
  private static final int WEXITED = 4;
  private static final int WNOWAIT = 0x01000000;

  /**
   * One shape for all calls: six whole numbers or addresses fill registers only, so a function that
   * takes fewer, or narrower ones, reads what it expects. Marked variadic, because prctl is.
   */
  private static final FunctionDescriptor SHAPE =
      FunctionDescriptor.of(
          JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);

  private static final Map<String, MemorySegment> SYMBOLS = new ConcurrentHashMap<>();

  private static final MethodHandle CALL = linked();
  private static final MemorySegment KILL_CALL = symbol("kill");
  private static final MemorySegment PRCTL = symbol("prctl");

  private Kernel() {}

  /** Sends a signal to one process; false if there is none or this process may not signal it. */
  public static boolean signal(int pid, int signal) {
    if (pid <= 1) {
      throw new IllegalArgumentException("pid " + pid + " is a group or init, never signalled");
    }
    return (int) call(KILL_CALL, pid, signal, 0, 0, 0, 0) == 0;
  }

  /** Bytes of one memory page. */
  static long pageBytes() {
    return call(symbol("sysconf"), SC_PAGESIZE, 0, 0, 0, 0, 0);
  }

  /**
   * Hides this process's environment and descriptors from other processes of its user: an agent was
   * seen to read its runner's credentials in /proc. It prevents core dumps and attaching by the
   * same user. False if the kernel denies it.
   */
  public static boolean hideFromSameUser() {
    return (int) call(PRCTL, PR_SET_DUMPABLE, 0, 0, 0, 0, 0) == 0;
  }

  /**
   * Makes this process the parent of every descendant that loses its own parent, whatever that
   * descendant did to escape. False if the kernel denies it.
   */
  public static boolean adoptOrphans() {
    return (int) call(PRCTL, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0, 0) == 0;
  }

  /** Reaps this child if it is a zombie. */
  public static boolean reap(int pid) {
    return (int) call(symbol("waitpid"), pid, 0, WNOHANG, 0, 0, 0) == pid;
  }

  /** Waits until a child has ended, and leaves it to be reaped, so that its pid stays its own. */
  public static void awaitEnd(int pid) {
    try (Arena arena = Arena.ofConfined()) {
      long info = arena.allocate(128, 8).address();
      MemorySegment wait = symbol("waitid");
      while ((int) call(wait, P_PID, pid, info, WEXITED | WNOWAIT, 0, 0) != 0) {
        // Interrupted, or not a child of this process.
        if ((int) call(wait, P_PID, pid, info, WEXITED | WNOWAIT | WNOHANG, 0, 0) != 0) {
          return;
        }
      }
    }
  }

  /**
   * Reaps a child that has ended.
   *
   * @return its exit code; 128 + n if signal n ended it; -1 if it was no child of this process
   */
  public static int reapCode(int pid) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment status = arena.allocate(JAVA_INT);
      if ((int) call(symbol("waitpid"), pid, status.address(), 0, 0, 0, 0) != pid) {
        return -1;
      }
      int how = status.get(JAVA_INT, 0);
      return (how & 0x7f) == 0 ? (how >> 8) & 0xff : 128 + (how & 0x7f);
    }
  }

  static long call(MemorySegment function, long a, long b, long c, long d, long e, long f) {
    try {
      return (long) CALL.invokeExact(function, a, b, c, d, e, f);
    } catch (Throwable problem) {
      throw new IllegalStateException("the C library cannot be called", problem);
    }
  }

  @SuppressWarnings(
      "restricted") // kill(2) has no other way from Java; the JVM is started with native access
  private static MethodHandle linked() {
    return Linker.nativeLinker().downcallHandle(SHAPE, Linker.Option.firstVariadicArg(1));
  }

  /** Searched once: a search among all libraries costs as much as a small call. */
  static MemorySegment symbol(String name) {
    MemorySegment known = SYMBOLS.get(name);
    if (known == null) {
      known = Linker.nativeLinker().defaultLookup().findOrThrow(name);
      SYMBOLS.put(name, known);
    }
    return known;
  }
}
