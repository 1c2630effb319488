package dev.flyball.runner.execution;

import dev.flyball.contract.ledger.LedgerEntry.Usage;
import dev.flyball.runner.execution.Workplaces.Workplace;
import dev.flyball.runner.session.EndCause;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The one thing that other threads hold of a session: the ledger's thread, the watchdog and whoever
 * shuts down tell it what has happened. It exists from the effective claim on, so that a session
 * can be ended before it has started. No method waits.
 */
public final class SessionHandle {
  private final Assignment assignment;
  private final CompletableFuture<Void> closed = new CompletableFuture<>();

  /** Set by the thread that starts the agent, taken by whichever thread ends the session. */
  private final AtomicReference<@Nullable Workplace> place = new AtomicReference<>();

  /** Whether its release was handed over: a second one would report another end. */
  private final AtomicBoolean released = new AtomicBoolean();

  // Written by the ledger's thread (the deadlines), the watchdog (fenced) and the one that tells
  // deadmen (told), read by the session's own.
  private volatile long fenceAt;
  private volatile long deadmanAt;
  private volatile long told;
  private volatile boolean fenced;
  // Written by the thread that starts the agent, read by the session's.
  private volatile boolean forking;
  // Written by the session's thread, read by the ledger's.
  private volatile Usage usage;

  private @Nullable EndCause early;
  // A fence that came after another early cause: the first stays, but nobody waits for a ladder.
  private @Nullable EndCause urgent;
  private @Nullable LiveSession live;

  /**
   * A session whose claim has just taken effect; times in nanoseconds of the runner's elapsed
   * clock.
   */
  public SessionHandle(Assignment assignment, long fenceAt, long deadmanAt) {
    this.assignment = assignment;
    this.fenceAt = fenceAt;
    this.deadmanAt = deadmanAt;
    this.told = deadmanAt;
    this.usage = new Usage(assignment.session(), 0, 0);
  }

  /** What it is for. */
  public Assignment assignment() {
    return assignment;
  }

  /** Ends it, at once for a fence; the first cause stays. */
  public void stop(EndCause cause) {
    LiveSession running;
    synchronized (this) {
      running = live;
      if (running == null && early == null) {
        early = cause;
      } else if (running == null && cause.atOnce()) {
        urgent = cause;
      }
    }
    if (running != null) {
      running.stop(cause);
    }
  }

  /** Its deadlines, as the newest effective renewal has moved them. */
  public void fence(long newFenceAt, long newDeadmanAt) {
    fenceAt = newFenceAt;
    deadmanAt = newDeadmanAt;
  }

  /** The watchdog's turn: ends it at its fence. Waits for nothing. */
  public void guard(long nowNanos) {
    if (nowNanos >= fenceAt && !fenced) {
      stop(new EndCause.Fenced());
      // Afterwards, so that a kill that could not even be begun is begun again by the next look.
      fenced = true;
    }
  }

  /** Whether its deadman has still to be told of a renewal. */
  public boolean untold() {
    return told != deadmanAt && running() != null;
  }

  /**
   * Tells the deadman of a renewal that took effect, which may wait for a disk: never on the
   * watchdog's thread.
   *
   * @param sinceBoot read before {@code nowNanos}: after a freeze between the two the deadline is
   *     too early, never too late
   */
  public void tell(Duration sinceBoot, long nowNanos) {
    long at = deadmanAt;
    LiveSession running = running();
    if (running == null || told == at || nowNanos >= fenceAt) {
      return;
    }
    if (running.extendTo(sinceBoot.plusNanos(at - nowNanos))) {
      told = at;
    }
  }

  /** What it has used so far. */
  public Usage usage() {
    return usage;
  }

  /** The ledger shows its end. */
  public void closed() {
    closed.complete(null);
  }

  /** Completes when the ledger shows its end. */
  public CompletableFuture<Void> whenClosed() {
    return closed;
  }

  /** Its process, while it has one. */
  public synchronized Optional<LiveSession> live() {
    return Optional.ofNullable(live);
  }

  /** Where its agent will work, until {@link #leave}. */
  void entered(Workplace entered) {
    place.set(entered);
  }

  /** Gives its workplace back, if it has one; repeated calls do nothing. */
  void leave() {
    Workplace left = place.getAndSet(null);
    if (left != null) {
      left.leave().run();
    }
  }

  /** A process of it may exist from now on. */
  void forking() {
    forking = true;
  }

  /** Whether a process of it may have existed: then an agent may have run, and spent. */
  boolean mayHaveRun() {
    return forking;
  }

  /** Whether the caller is the first to hand over its release, which no other thread may then. */
  boolean releasing() {
    return released.compareAndSet(false, true);
  }

  void used(long tokens, long costMicros) {
    usage = new Usage(assignment.session(), tokens, costMicros);
  }

  long fenceAt() {
    return fenceAt;
  }

  long deadmanAt() {
    return deadmanAt;
  }

  /** Why it must not start or go on, if something has happened. */
  synchronized Optional<EndCause> early() {
    return Optional.ofNullable(early);
  }

  /** The process is there: what was said meanwhile is for it. */
  void attach(LiveSession started) {
    EndCause missed;
    EndCause sharp;
    synchronized (this) {
      live = started;
      missed = early;
      sharp = urgent;
    }
    if (missed != null) {
      started.stop(missed);
    }
    if (sharp != null) {
      started.stop(sharp);
    }
  }

  private synchronized @Nullable LiveSession running() {
    return live;
  }
}
