package dev.flyball.runner.execution;

import dev.flyball.containment.BootClock;
import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.Launch;
import dev.flyball.contract.session.Failure;
import dev.flyball.runner.execution.Workplaces.Workplace;
import dev.flyball.runner.protocol.Fence;
import dev.flyball.runner.session.EndCause;
import java.io.IOException;
import java.io.UncheckedIOException;
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

  private final SessionExecution session;
  private final SessionHandle handle;
  private final ExecutionSteps steps;
  private final CompletableFuture<SessionExecution> done = new CompletableFuture<>();

  // Written by the thread of the attempt, read by the session's.
  private volatile boolean rowWritten;

  // Guarded by this.
  private boolean givenUp;
  private long forkAskedAt;
  private long certainAt;

  /**
   * Whether its process exists, or may exist: the session gets it, or waits until its tree is dead.
   */
  private boolean held;

  StartAttempt(SessionExecution session) {
    this.session = session;
    this.handle = session.handle();
    this.steps = session.steps();
  }

  /**
   * Starts the session; returns it with an agent that runs, or with the reason why none runs or
   * will.
   */
  SessionExecution made() throws InterruptedException {
    String name = "start-" + handle.session().substring(0, 8);
    long limitAt = steps.nowNanos() + limit().toNanos();
    Thread.ofPlatform().daemon().name(name).start(this::attempt);
    while (true) {
      try {
        return done.get(LOOK_MS, TimeUnit.MILLISECONDS);
      } catch (ExecutionException e) {
        throw new IllegalStateException("start failed in the runner itself", e.getCause());
      } catch (TimeoutException e) {
        SessionExecution unstarted = givenUp(limitAt);
        if (unstarted != null) {
          return unstarted;
        }
      } catch (RuntimeException | Error e) {
        // Whatever this thread lacks, the start goes on and is waited for: a process may still
        // come.
        log.warn("start goes on: session={}", session(), e);
      }
    }
  }

  private synchronized @Nullable SessionExecution givenUp(long limitAt) {
    long now = steps.nowNanos();
    EndCause stopped = handle.early().orElse(null);
    boolean due = stopped != null || now >= limitAt;
    if (done.isDone() || !due || held || (forkAskedAt > 0 && now < certainAt)) {
      return null;
    }
    givenUp = true;
    steps.launcher().trees().hanging(session());
    return session.unstarted(stopped == null ? late() : stopped, forkAskedAt);
  }

  /** A hung mount would take one slot after another, so that the runner declines what needs it. */
  private EndCause late() {
    String after = "start timed out after " + limit().toSeconds() + " s ";
    if (forkAskedAt > 0) {
      return new EndCause.Interrupted(after + "starting the agent");
    }
    return rowWritten
        ? new EndCause.StartFailed(
            Failure.REPOSITORY, after + "reaching the repository; check its mount and its size")
        : new EndCause.StartFailed(
            Failure.DATA_FOLDER, after + "writing the journal; check the disk of the data folder");
  }

  private void attempt() {
    try {
      SessionExecution tried = tried();
      LiveSession agent = tried.agent();
      if (!finished(tried)) {
        undone();
      } else if (agent != null) {
        journalled(agent);
      }
    } catch (InterruptedException e) {
      log.debug("start interrupted, the sweep ends it: session={}", session());
    } catch (Throwable e) {
      // Errors too: the session's thread would wait for its whole limit.
      done.completeExceptionally(e);
    } finally {
      steps.launcher().trees().answered(session());
    }
  }

  private SessionExecution tried() throws InterruptedException {
    Launch launch;
    try {
      EndCause refused = unread();
      if (refused == null) {
        refused = journalled();
      }
      if (refused != null) {
        return session.unstarted(refused, 0);
      }
      rowWritten = true;
      // This may take as long as writing a whole tree; the lease is renewed meanwhile.
      Workplace place = steps.launcher().workplaces().enter(handle.item(), handle.polledBy());
      handle.entered(place);
      launch = steps.launcher().launch(handle, place);
    } catch (IOException e) {
      return session.unstarted(steps.launcher().failed(e), 0);
    } catch (UncheckedIOException e) {
      // The repository is read for the prompt.
      return session.unstarted(
          new EndCause.StartFailed(Failure.REPOSITORY, String.valueOf(e.getMessage())), 0);
    } catch (RuntimeException | Error e) {
      log.error("session failed in the runner before its start: session={}", session(), e);
      return session.unstarted(new EndCause.Interrupted(SessionThreads.ERROR + e), 0);
    }
    // The deadman's clock is read before the runner's: after a freeze between the two the deadline
    // is too early, never too late.
    Duration sinceBoot = BootClock.sinceBoot();
    long now = steps.nowNanos();
    Fence fence = handle.fence();
    long life = fence.deadmanAt() - now;
    EndCause early =
        now >= fence.fenceAt() || life <= 0 ? new EndCause.Fenced() : handle.early().orElse(null);
    if (early != null || !askingToFork(now, fence)) {
      return session.unstarted(early == null ? new EndCause.Fenced() : early, 0);
    }
    return forked(launch, sinceBoot.plusNanos(life), now);
  }

  /** Reads the request, of which the claim knew only the place; null if the session may start. */
  private @Nullable EndCause unread() {
    try {
      return handle.readRequest()
          ? null
          : new EndCause.Unwanted("request was replaced or withdrawn");
    } catch (IOException e) {
      return new EndCause.Interrupted(String.valueOf(e.getMessage()));
    }
  }

  /** Records that a process may come from now on; false if the start was given up meanwhile. */
  private synchronized boolean askingToFork(long now, Fence fence) {
    if (givenUp) {
      return false;
    }
    forkAskedAt = now;
    // The end of the lease, as far from the deadman's deadline as that is from the fence.
    certainAt = fence.deadmanAt() + Math.max(0, fence.deadmanAt() - fence.fenceAt());
    handle.forking();
    return true;
  }

  private SessionExecution forked(Launch launch, Duration until, long at)
      throws InterruptedException {
    ContainedProcess process = null;
    try {
      process = steps.launcher().start(launch, until);
      if (held()) {
        return session.running(steps.attached(handle, process), at);
      }
      log.warn("process started after its start was given up: session={}", session());
      clear(process);
      return session.unstarted(new EndCause.Fenced(), 0);
    } catch (IOException e) {
      return session.unstarted(steps.launcher().failed(e), 0);
    } catch (RuntimeException | Error e) {
      boolean waiting = held();
      log.error(
          "session failed in the runner at its start: session={} waiting={}",
          session(),
          waiting,
          e);
      clear(process);
      return session.unstarted(new EndCause.Broken(SessionThreads.ERROR + e), at);
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
    steps
        .tree()
        .clear(
            handle,
            process == null
                ? () -> steps.launcher().containment().cleared(session(), VERIFY)
                : () -> process.kill(KillLadder.now(VERIFY)).survivors());
  }

  /**
   * Writes the row before the process starts: without the row a crash would leave a tree that no
   * sweep searches for.
   */
  private @Nullable EndCause journalled() {
    try {
      steps.journal().opened(handle);
      return null;
    } catch (IOException e) {
      log.warn(
          "session not started, journal not written: session={} cause={}",
          session(),
          e.getMessage());
      return new EndCause.StartFailed(
          Failure.DATA_FOLDER, "journal cannot be written: " + e.getMessage());
    }
  }

  /**
   * Runs on this thread, which may hang on its disk; the session's thread already watches the tree.
   */
  private void journalled(LiveSession agent) {
    try {
      steps.journal().started(session(), agent.identity());
    } catch (IOException e) {
      // The row from before the start stays, and the cookie finds the tree.
      log.warn("journal row not updated: session={} cause={}", session(), e.getMessage());
    }
  }

  /**
   * The longest that placing and starting may take. It is longer than a lease, so that the first
   * deadline of a deadman has passed by then: an agent that is forked later does not run.
   */
  private Duration limit() {
    return steps.patience().multipliedBy(4).dividedBy(3);
  }

  private synchronized boolean finished(SessionExecution tried) {
    return !givenUp && done.complete(tried);
  }

  private void undone() {
    handle.leave();
    try {
      steps.journal().closed(session());
    } catch (IOException e) {
      // The row stays; the next start finds nothing alive for it and removes it.
      log.warn("journal row not closed: session={} cause={}", session(), e.getMessage());
    }
  }

  private String session() {
    return handle.session();
  }
}
