package dev.flyball.runner.process;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;

/** The system calls that the JDK does not offer. Signal numbers are Linux's. */
final class Kernel {
  static final int INT = 2;
  static final int KILL = 9;
  static final int TERM = 15;
  static final int CONT = 18;
  static final int STOP = 19;
  private static final int PR_SET_DUMPABLE = 4;
  private static final int SC_PAGESIZE = 30;

  private static final MethodHandle KILL_CALL =
      call("kill", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
  private static final MethodHandle SYSCONF =
      call("sysconf", FunctionDescriptor.of(JAVA_LONG, JAVA_INT));
  private static final MethodHandle PRCTL =
      call(
          "prctl",
          FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG),
          Linker.Option.firstVariadicArg(1));

  private Kernel() {}

  /** Sends a signal to one process; false if there is none or it is not ours to signal. */
  static boolean signal(int pid, int signal) {
    if (pid <= 1) {
      throw new IllegalArgumentException("pid " + pid + " is a group or init, never signalled");
    }
    try {
      return (int) KILL_CALL.invokeExact(pid, signal) == 0;
    } catch (Throwable e) {
      throw new IllegalStateException("kill(2) cannot be called", e);
    }
  }

  /** Bytes of one memory page. */
  static long pageBytes() {
    try {
      return (long) SYSCONF.invokeExact(SC_PAGESIZE);
    } catch (Throwable e) {
      throw new IllegalStateException("sysconf(3) cannot be called", e);
    }
  }

  /**
   * Hides this process's environment and descriptors from other processes of its user: an agent was
   * seen to read its runner's token in /proc. Costs core dumps and attaching by the same user.
   */
  static boolean hideFromSameUser() {
    try {
      return (int) PRCTL.invokeExact(PR_SET_DUMPABLE, 0L, 0L, 0L, 0L) == 0;
    } catch (Throwable e) {
      throw new IllegalStateException("prctl(2) cannot be called", e);
    }
  }

  @SuppressWarnings(
      "restricted") // kill(2) has no other way from Java; the JVM is started with native access
  private static MethodHandle call(
      String name, FunctionDescriptor shape, Linker.Option... options) {
    var linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), shape, options);
  }
}
