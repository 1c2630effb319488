package dev.flyball.containment;

import dev.flyball.containment.ProcessTable.Entry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Sends signals to processes that are known by pid and start time, never by pid alone. */
final class ProcessSignals {
  private ProcessSignals() {}

  /** Signals a process unless another process has its pid by now. */
  static boolean signalIfSame(Entry known, int signal) {
    return ProcessTable.entry(known.pid()).filter(now -> now.same(known) && now.alive()).isPresent()
        && Kernel.signal(known.pid(), signal);
  }

  static boolean killIfSame(Entry known) {
    return signalIfSame(known, Kernel.KILL);
  }

  /** Stops all before it kills any, so that none can replace what was killed. */
  static void strike(List<Entry> processes) {
    processes.forEach(e -> signalIfSame(e, Kernel.STOP));
    processes.forEach(ProcessSignals::killIfSame);
  }

  /** Waits; true if the thread was interrupted meanwhile, and clears the interrupt. */
  static boolean pause(Duration time) {
    LockSupport.parkNanos(time.toNanos());
    return Thread.interrupted();
  }
}
