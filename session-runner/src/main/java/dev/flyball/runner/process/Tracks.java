package dev.flyball.runner.process;

import dev.flyball.runner.process.ProcessTable.Entry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Signals to processes that are known by pid and start time, never by pid alone. */
final class Tracks {
  private Tracks() {}

  /** Signals a process unless its pid is somebody else's by now (S0-29, trap T4). */
  static boolean signalIfSame(Entry known, int signal) {
    return ProcessTable.entry(known.pid()).filter(now -> now.same(known) && now.alive()).isPresent()
        && Kernel.signal(known.pid(), signal);
  }

  static boolean killIfSame(Entry known) {
    return signalIfSame(known, Kernel.KILL);
  }

  /** Stops all before it kills any, so that nobody can replace what was killed. */
  static void strike(List<Entry> processes) {
    processes.forEach(e -> signalIfSame(e, Kernel.STOP));
    processes.forEach(Tracks::killIfSame);
  }

  /** Waits; true if the thread was interrupted meanwhile, whose mark is taken away. */
  static boolean pause(Duration time) {
    LockSupport.parkNanos(time.toNanos());
    return Thread.interrupted();
  }
}
