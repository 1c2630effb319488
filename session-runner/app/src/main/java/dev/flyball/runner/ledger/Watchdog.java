package dev.flyball.runner.ledger;

import dev.flyball.containment.BootClock;
import dev.flyball.runner.execution.Session;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fences sessions whose lease can no longer be shown to hold, on a separate thread with a short
 * tick that waits for nothing. Sessions end in time even if the ledger's thread hangs. A second
 * thread moves the deadmen's deadlines after renewals that took effect, because a disk may keep it
 * waiting.
 */
public final class Watchdog implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Watchdog.class);

  private final Supplier<Map<String, Session>> sessions;
  private final LongSupplier clock;
  private final Duration tick;
  private final Thread fences =
      Thread.ofPlatform().daemon().name("flyball-watchdog").unstarted(() -> each(this::guard));
  private final Thread deadmen =
      Thread.ofPlatform().daemon().name("flyball-deadmen").unstarted(() -> each(this::tell));

  /**
   * Creates the watchdog.
   *
   * @param sessions all that may live, read at each check
   * @param clock the runner's elapsed clock, nanoseconds
   */
  public Watchdog(Supplier<Map<String, Session>> sessions, LongSupplier clock, Duration tick) {
    this.sessions = sessions;
    this.clock = clock;
    this.tick = tick;
  }

  /** Starts both threads. */
  public void start() {
    fences.start();
    deadmen.start();
  }

  @Override
  public void close() {
    fences.interrupt();
    deadmen.interrupt();
  }

  private void each(Consumer<Session> look) {
    try {
      while (true) {
        Thread.sleep(tick);
        try {
          sessions.get().values().forEach(handle -> one(handle, look));
        } catch (RuntimeException | Error e) {
          log.error("watchdog could not list the sessions, trying again", e);
        }
      }
    } catch (InterruptedException e) {
      log.debug("watchdog stopped");
    }
  }

  private void guard(Session handle) {
    handle.guard(clock.getAsLong());
  }

  private void tell(Session handle) {
    if (handle.deadmanBehind()) {
      // The deadman's clock first: see Session.moveDeadman.
      Duration sinceBoot = BootClock.sinceBoot();
      handle.moveDeadman(sinceBoot, clock.getAsLong());
    }
  }

  /** Errors too: the watchdog must work on a machine that is out of threads or memory. */
  private static void one(Session handle, Consumer<Session> look) {
    try {
      look.accept(handle);
    } catch (Throwable e) {
      log.error("watchdog could not check a session: session={}", handle.id(), e);
    }
  }
}
