package dev.flyball.runner.execution;

import dev.flyball.runner.execution.Workplaces.Workplace;
import dev.flyball.runner.process.BootClock;
import dev.flyball.runner.process.CannotStart;
import dev.flyball.runner.process.ContainedProcess;
import dev.flyball.runner.process.ContainedProcess.KillLadder;
import dev.flyball.runner.process.Launch;
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
 * Everything that a start may hang on (journal, repository, disk, fork), on a thread that may hang
 * with it. The session's own thread waits under one clock, and gives the start up when that runs
 * out or the session is stopped. It does so only when no process of the session lives or can come
 * to life: before the fork was asked for, or after the end of the lease by which it was. The
 * deadman refuses to run an agent from its deadline on, and has ended by then what it ran before.
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

  StartAttempt(SessionHandle handle, ExecutionSteps steps) {
    this.handle = handle;
    this.steps = steps;
    this.seams = steps.seams();
  }

  /**
   * What came of it.
   *
   * @param cause why nothing runs; null if the agent does
   * @param startedAt elapsed nanoseconds at which the fork was asked for, 0 if it was not: an agent
   *     may have run from then on
   */
  record End(
      @Nullable EndCause cause,
      @Nullable Workplace place,
      @Nullable LiveSession agent,
      long startedAt) {
    static End refused(EndCause cause, @Nullable Workplace place) {
      return new End(cause, place, null, 0);
    }
  }

  /** Starts it; returns with an agent that runs, or with the reason why none does or will. */
  End made() throws InterruptedException {
    String name = "start-" + handle.assignment().session().substring(0, 8);
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
      }
    }
  }

  private synchronized @Nullable End givenUp(long limitAt) {
    long now = steps.nowNanos();
    EndCause stopped = handle.early().orElse(null);
    boolean due = stopped != null || now >= limitAt;
    if (done.isDone() || !due || (forkAskedAt > 0 && now < certainAt)) {
      return null;
    }
    givenUp = true;
    seams.trees().hanging(handle.assignment().session());
    EndCause late =
        new EndCause.Interrupted(
            "start timed out after "
                + limit().toSeconds()
                + " s "
                + (forkAskedAt > 0 ? "starting the agent" : "reaching journal or repository"));
    return new End(stopped == null ? late : stopped, null, null, forkAskedAt);
  }

  private void attempt() {
    try {
      End end = tried();
      if (end != null && !finished(end)) {
        undone(end.place(), null);
      }
    } catch (Throwable e) {
      // Errors too: the session's thread would wait for its whole limit.
      done.completeExceptionally(e);
    } finally {
      seams.trees().answered(handle.assignment().session());
    }
  }

  /** Null if it was given up and what it left is undone. */
  private @Nullable End tried() throws InterruptedException {
    EndCause refused = journalled();
    if (refused != null) {
      return End.refused(refused, null);
    }
    Workplace place;
    try {
      // May take as long as writing a whole tree; the lease is renewed meanwhile.
      place = seams.workplaces().enter(handle.assignment().item());
    } catch (IOException e) {
      return End.refused(
          new EndCause.StartFailed("workplace", String.valueOf(e.getMessage())), null);
    }
    // The deadman's clock before ours: after a freeze between the two the deadline is too early,
    // never too late.
    Duration sinceBoot = BootClock.sinceBoot();
    long now = steps.nowNanos();
    long life = handle.deadmanAt() - now;
    EndCause early =
        now >= handle.fenceAt() || life <= 0 ? new EndCause.Fenced() : handle.early().orElse(null);
    if (early != null || !askingToFork(now, now + life)) {
      return End.refused(early == null ? new EndCause.Fenced() : early, place);
    }
    return forked(place, sinceBoot.plusNanos(life), now);
  }

  /** From here on a process may come; false if the session has ended meanwhile. */
  private synchronized boolean askingToFork(long now, long deadmanAt) {
    forkAskedAt = now;
    // The end of the lease, as far from the deadman's deadline as that is from the fence.
    certainAt = deadmanAt + Math.max(0, handle.deadmanAt() - handle.fenceAt());
    return !givenUp;
  }

  private @Nullable End forked(Workplace place, Duration until, long at)
      throws InterruptedException {
    ContainedProcess process;
    try {
      process = spawned(place, until);
    } catch (IOException e) {
      String code = e instanceof CannotStart known ? known.code() : "not-started";
      return End.refused(new EndCause.StartFailed(code, String.valueOf(e.getMessage())), place);
    }
    synchronized (this) {
      if (!givenUp) {
        // Attached under the lock: a cleanup finds it, or this thread ends it.
        attached(place, process, at);
        return null;
      }
    }
    undone(place, process);
    return null;
  }

  private void attached(Workplace place, ContainedProcess process, long at)
      throws InterruptedException {
    try {
      done.complete(new End(null, place, steps.attached(handle, process), at));
    } catch (RuntimeException | Error e) {
      undone(place, process);
      throw e;
    }
  }

  /** The row before the process: without it a crash would leave a tree that no sweep looks for. */
  private @Nullable EndCause journalled() {
    try {
      seams.journal().opened(handle.assignment());
      return null;
    } catch (IOException e) {
      log.warn(
          "session {} not started: journal: {}", handle.assignment().session(), e.getMessage());
      return new EndCause.Interrupted("journal cannot be written: " + e.getMessage());
    }
  }

  /**
   * The longest that placing and starting may take. Longer than a lease, so that the first deadline
   * of a deadman has passed by then: what is forked later refuses to run.
   */
  private Duration limit() {
    return seams.lease().patience().multipliedBy(4).dividedBy(3);
  }

  private ContainedProcess spawned(Workplace place, Duration until) throws IOException {
    Assignment job = handle.assignment();
    return counted(
        new Launch(
            job.session(),
            seams.adapter().command(job.session()),
            seams.environment(),
            place.directory(),
            seams.adapter().prompt(job.item(), job.request(), place.codebase())),
        until);
  }

  /** Counted before it begins: a tree that lives uncounted could hide one too many. */
  private ContainedProcess counted(Launch launch, Duration until) throws IOException {
    int beside = seams.trees().starting(launch.session());
    boolean there = false;
    try {
      ContainedProcess process = seams.containment().startUntil(launch, until);
      there = true;
      seams.trees().started(beside);
      return process;
    } finally {
      if (!there) {
        var _ = seams.trees().gone(launch.session());
      }
    }
  }

  private synchronized boolean finished(End end) {
    return !givenUp && done.complete(end);
  }

  private void undone(@Nullable Workplace place, @Nullable ContainedProcess process)
      throws InterruptedException {
    String session = handle.assignment().session();
    if (process != null) {
      log.warn("session {}: its process came after its start was given up", session);
      while (process.kill(KillLadder.now(VERIFY)).survivors() > 0) {
        Thread.sleep(200);
      }
      var _ = seams.trees().gone(session);
    }
    if (place != null) {
      place.leave().run();
    }
    try {
      seams.journal().closed(session);
    } catch (IOException e) {
      // The row stays; the next start finds nothing alive for it and removes it.
      log.warn("session {}: {}", session, e.getMessage());
    }
  }
}
