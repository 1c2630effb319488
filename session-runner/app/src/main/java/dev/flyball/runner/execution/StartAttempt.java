package dev.flyball.runner.execution;

import dev.flyball.containment.BootClock;
import dev.flyball.containment.CannotStart;
import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.Launch;
import dev.flyball.runner.execution.Workplaces.Workplace;
import dev.flyball.runner.session.EndCause;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does everything that a start may hang on (journal, repository, disk, fork), on a separate thread
 * that may hang with it. The session's thread waits under one clock. It gives the start up when
 * that clock runs out or the session is stopped.
 *
 * <p>It gives up only when no process of the session lives or can come to life: before the fork was
 * requested, or after the end of the lease under which it was requested. From its deadline on, the
 * deadman does not run an agent, and it has ended by then what it ran before.
 */
final class StartAttempt {
  private static final Logger log = LoggerFactory.getLogger(StartAttempt.class);
  private static final long LOOK_MS = 100;
  private static final Duration VERIFY = Duration.ofSeconds(2);

  private final SessionHandle handle;
  private final ExecutionSteps steps;
  private final ExecutionSeams seams;
  private final CompletableFuture<End> done = new CompletableFuture<>();

  // Guarded by this.
  private boolean givenUp;
  private long forkAskedAt;
  private long certainAt;

  /**
   * Whether its process exists, or may exist: the session gets it, or waits until its tree is dead.
   */
  private boolean held;

  StartAttempt(SessionHandle handle, ExecutionSteps steps) {
    this.handle = handle;
    this.steps = steps;
    this.seams = steps.seams();
  }

  /**
   * The outcome of a start.
   *
   * @param cause why nothing runs; null if the agent does
   * @param startedAt elapsed nanoseconds at which the fork was requested, 0 if it was not: an agent
   *     may have run from then on
   */
  record End(@Nullable EndCause cause, @Nullable LiveSession agent, long startedAt) {
    static End refused(EndCause cause) {
      return new End(cause, null, 0);
    }
  }

  /**
   * Starts the session; returns with an agent that runs, or with the reason why none runs or will.
   */
  End made() throws InterruptedException {
    String name = "start-" + handle.session().substring(0, 8);
    long limitAt = steps.nowNanos() + limit().toNanos();
    Thread.ofPlatform().daemon().name(name).start(this::attempt);
    while (true) {
      try {
        return done.get(LOOK_MS, TimeUnit.MILLISECONDS);
      } catch (ExecutionException e) {
        throw new IllegalStateException("start failed in the runner itself", e.getCause());
      } catch (TimeoutException e) {
        End end = givenUp(limitAt);
        if (end != null) {
          return end;
        }
      } catch (RuntimeException | Error e) {
        // Whatever this thread lacks, the start goes on and is waited for: a process may still
        // come.
        log.warn("session {}: its start goes on", session(), e);
      }
    }
  }

  private synchronized @Nullable End givenUp(long limitAt) {
    long now = steps.nowNanos();
    EndCause stopped = handle.early().orElse(null);
    boolean due = stopped != null || now >= limitAt;
    if (done.isDone() || !due || held || (forkAskedAt > 0 && now < certainAt)) {
      return null;
    }
    givenUp = true;
    seams.trees().hanging(session());
    EndCause late =
        new EndCause.Interrupted(
            "start timed out after "
                + limit().toSeconds()
                + " s "
                + (forkAskedAt > 0 ? "starting the agent" : "reaching journal or repository"));
    return new End(stopped == null ? late : stopped, null, forkAskedAt);
  }

  private void attempt() {
    try {
      End end = tried();
      LiveSession agent = end.agent();
      if (!finished(end)) {
        undone();
      } else if (agent != null) {
        journalled(agent);
      }
    } catch (InterruptedException e) {
      log.debug("session {}: its start is left to the sweep", session());
    } catch (Throwable e) {
      // Errors too: the session's thread would wait for its whole limit.
      done.completeExceptionally(e);
    } finally {
      seams.trees().answered(session());
    }
  }

  private End tried() throws InterruptedException {
    Launch launch;
    try {
      EndCause refused = journalled();
      if (refused != null) {
        return End.refused(refused);
      }
      // This may take as long as writing a whole tree; the lease is renewed meanwhile.
      Workplace place = seams.workplaces().enter(handle.item());
      handle.entered(place);
      launch = launch(place);
    } catch (IOException e) {
      return End.refused(new EndCause.StartFailed("workplace", String.valueOf(e.getMessage())));
    } catch (RuntimeException | Error e) {
      log.error("session {} failed in the runner before it began", session(), e);
      return End.refused(new EndCause.Interrupted(SessionThreads.ERROR + e));
    }
    // The deadman's clock is read before the runner's: after a freeze between the two the deadline
    // is too early, never too late.
    Duration sinceBoot = BootClock.sinceBoot();
    long now = steps.nowNanos();
    long life = handle.deadmanAt() - now;
    EndCause early =
        now >= handle.fenceAt() || life <= 0 ? new EndCause.Fenced() : handle.early().orElse(null);
    if (early != null || !askingToFork(now, now + life)) {
      return End.refused(early == null ? new EndCause.Fenced() : early);
    }
    return forked(launch, sinceBoot.plusNanos(life), now);
  }

  /** Records that a process may come from now on; false if the start was given up meanwhile. */
  private synchronized boolean askingToFork(long now, long deadmanAt) {
    if (givenUp) {
      return false;
    }
    forkAskedAt = now;
    // The end of the lease, as far from the deadman's deadline as that is from the fence.
    certainAt = deadmanAt + Math.max(0, handle.deadmanAt() - handle.fenceAt());
    handle.forking();
    return true;
  }

  private End forked(Launch launch, Duration until, long at) throws InterruptedException {
    ContainedProcess process = null;
    try {
      process = counted(launch, until);
      if (held()) {
        return new End(null, steps.attached(handle, process), at);
      }
      log.warn("session {}: its process came after its start was given up", session());
      clear(process);
      return End.refused(new EndCause.Fenced());
    } catch (IOException e) {
      String code = e instanceof CannotStart known ? known.code() : "not-started";
      return End.refused(new EndCause.StartFailed(code, String.valueOf(e.getMessage())));
    } catch (RuntimeException | Error e) {
      boolean waiting = held();
      log.error("session {} failed in the runner at its start: waiting={}", session(), waiting, e);
      clear(process);
      return new End(new EndCause.Broken(SessionThreads.ERROR + e), null, at);
    }
  }

  /**
   * Claims the process for the session; false if the start was given up. From then on the session
   * waits for the outcome, however long that takes.
   */
  private synchronized boolean held() {
    held = !givenUp;
    return held;
  }

  /** Returns once nothing that was started lives; the process is null if none was returned. */
  private void clear(@Nullable ContainedProcess process) throws InterruptedException {
    new TreeEnd(seams)
        .clear(
            handle,
            process == null
                ? () -> seams.containment().cleared(session(), VERIFY)
                : () -> process.kill(KillLadder.now(VERIFY)).survivors());
  }

  /**
   * Writes the row before the process starts: without the row a crash would leave a tree that no
   * sweep searches for.
   */
  private @Nullable EndCause journalled() {
    try {
      seams.journal().opened(handle);
      return null;
    } catch (IOException e) {
      log.warn("session {} not started: journal: {}", session(), e.getMessage());
      return new EndCause.Interrupted("journal cannot be written: " + e.getMessage());
    }
  }

  /**
   * Runs on this thread, which may hang on its disk; the session's thread already watches the tree.
   */
  private void journalled(LiveSession agent) {
    try {
      seams.journal().started(session(), agent.identity());
    } catch (IOException e) {
      // The row from before the start stays, and the cookie finds the tree.
      log.warn("session {}: journal: {}", session(), e.getMessage());
    }
  }

  /**
   * The longest that placing and starting may take. It is longer than a lease, so that the first
   * deadline of a deadman has passed by then: an agent that is forked later does not run.
   */
  private Duration limit() {
    return seams.lease().patience().multipliedBy(4).dividedBy(3);
  }

  private Launch launch(Workplace place) {
    return new Launch(
        handle.session(),
        seams.adapter().command(handle.session()),
        seams.environment(),
        place.directory(),
        seams.adapter().prompt(handle.item(), handle.request(), place.codebase()));
  }

  /**
   * Counts the tree before it begins: a tree that lives uncounted could hide a breach of the cap.
   */
  private ContainedProcess counted(Launch launch, Duration until) throws IOException {
    int beside = seams.trees().starting(launch.session());
    try {
      ContainedProcess process = seams.containment().startUntil(launch, until);
      seams.trees().started(beside);
      return process;
    } catch (IOException e) {
      // Nothing of the tree runs; after any other fault it stays counted until its end is verified.
      var _ = seams.trees().gone(launch.session());
      throw e;
    }
  }

  private synchronized boolean finished(End end) {
    return !givenUp && done.complete(end);
  }

  private void undone() {
    handle.leave();
    try {
      seams.journal().closed(session());
    } catch (IOException e) {
      // The row stays; the next start finds nothing alive for it and removes it.
      log.warn("session {}: {}", session(), e.getMessage());
    }
  }

  private String session() {
    return handle.session();
  }
}
