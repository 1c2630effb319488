package dev.flyball.containment.kernel;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;

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
  private static final int WNOHANG = 1;

  /**
   * One shape for all calls: whole numbers fill registers only, so a function that takes fewer, or
   * narrower ones, reads what it expects. Marked variadic, because prctl is.
   */
  private static final FunctionDescriptor SHAPE =
      FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG);

  private static final MethodHandle KILL_CALL = function("kill");
  private static final MethodHandle PRCTL = function("prctl");
  private static final MethodHandle SYSCONF = function("sysconf");
  private static final MethodHandle WAITPID = function("waitpid");

  private Kernel() {}

  /** Sends a signal to one process; false if there is none or this process may not signal it. */
  public static boolean signal(int pid, int signal) {
    if (pid <= 1) {
      throw new IllegalArgumentException("pid " + pid + " is a group or init, never signalled");
    }
    return (int) call(KILL_CALL, pid, signal, 0) == 0;
  }

  static long pageBytes() {
    return call(SYSCONF, SC_PAGESIZE, 0, 0);
  }

  /**
   * Hides this process's environment and descriptors from other processes of its user: an agent was
   * seen to read its runner's credentials in /proc. Call it before the first session. It prevents
   * core dumps and attaching by the same user. False if the kernel denies it.
   */
  public static boolean hideFromSameUser() {
    return (int) call(PRCTL, PR_SET_DUMPABLE, 0, 0) == 0;
  }

  /**
   * Makes this process the parent of every descendant that loses its own parent, whatever that
   * descendant did to escape. False if the kernel denies it.
   */
  public static boolean adoptOrphans() {
    return (int) call(PRCTL, PR_SET_CHILD_SUBREAPER, 1, 0) == 0;
  }

  /** Reaps this child if it is a zombie. */
  public static boolean reap(int pid) {
    return (int) call(WAITPID, pid, 0, WNOHANG) == pid;
  }

  private static long call(MethodHandle function, long a, long b, long c) {
    try {
      return (long) function.invokeExact(a, b, c, 0L, 0L);
    } catch (Throwable problem) {
      throw new IllegalStateException("the C library cannot be called", problem);
    }
  }

  @SuppressWarnings("restricted") // the JVM is started with native access
  private static MethodHandle function(String name) {
    var linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow(name), SHAPE, Linker.Option.firstVariadicArg(1));
  }
}
