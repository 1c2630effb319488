package dev.flyball.runner.execution;

import dev.flyball.containment.BootClock;
import dev.flyball.containment.CannotStart;
import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.KillReport;
import dev.flyball.containment.Launch;
import dev.flyball.contract.event.Trace;
import dev.flyball.contract.session.AgentSession;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Handover;
import dev.flyball.contract.session.SessionRequest;
import dev.flyball.runner.execution.Workplaces.Workplace;
import dev.flyball.runner.protocol.Fence;
import dev.flyball.runner.session.End;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
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

  private final SessionRun run;
  private final Session session;
  private final Sessions all;
  private final CompletableFuture<Start> done = new CompletableFuture<>();
  private long begunAt;

  /** Set by the thread of the attempt, taken by the thread that ends the session. */
  private final AtomicReference<@Nullable Workplace> place = new AtomicReference<>();

  // Written by the thread of the attempt, read by the session's.
  private volatile boolean rowWritten;
  private volatile long limitAt;
  private volatile boolean forking;
  private volatile @Nullable Workplace worked;

  // Guarded by this.
  private boolean givenUp;
  private long forkAskedAt;
  private long certainAt;

  /** Whether its process may exist: the session gets it, or waits until its tree is dead. */
  private boolean held;

  /**
   * How a start ended.
   *
   * @param agent the agent that runs; null if none was started
   * @param refused why none runs or will; of no meaning if one runs
   * @param at elapsed nanoseconds at which the fork of its agent was requested, 0 if it was not: an
   *     agent may have run from then on
   * @param worked where it works or would have; null if it came to no workplace
   */
  record Start(@Nullable LiveSession agent, End refused, long at, @Nullable Workplace worked) {}

  StartAttempt(SessionRun run, Session session, Sessions all) {
    this.run = run;
    this.session = session;
    this.all = all;
  }

  private Start refused(End why) {
    return new Start(null, why, 0, worked);
  }

  /** Whether a process of the session may exist or have existed. */
  boolean forking() {
    return forking;
  }

  /** Gives its workplace back, if it has one; repeated calls do nothing. */
  void leave() {
    Workplace left = place.getAndSet(null);
    if (left != null) {
      left.leave().run();
    }
  }

  /** Starts the session; returns an agent that runs, or why none runs or will. */
  Start made() throws InterruptedException {
    String name = "start-" + session.id().substring(0, 8);
    begunAt = all.ledger().nowNanos();
    limitAt = begunAt + limit().toNanos();
    Thread.ofPlatform().daemon().name(name).start(this::attempt);
    while (true) {
      try {
        return done.get(LOOK_MS, TimeUnit.MILLISECONDS);
      } catch (ExecutionException e) {
        throw new IllegalStateException("start failed in the runner itself", e.getCause());
      } catch (TimeoutException e) {
        Start unstarted = givenUp();
        if (unstarted != null) {
          return unstarted;
        }
      } catch (RuntimeException | Error e) {
        // Whatever this thread lacks, the start goes on and is waited for: a process may still
        // come.
        log.warn("start goes on: session={}", session.id(), e);
      }
    }
  }

  private synchronized @Nullable Start givenUp() {
    long now = all.ledger().nowNanos();
    End stopped = session.early().orElse(null);
    boolean due = stopped != null || now >= limitAt;
    if (done.isDone() || !due || held || (forkAskedAt > 0 && now < certainAt)) {
      return null;
    }
    givenUp = true;
    all.trees().hanging(session.id());
    return new Start(null, stopped == null ? late() : stopped, forkAskedAt, worked);
  }

  /** A hung mount would take one slot after another, so that the runner declines what needs it. */
  private End late() {
    long seconds = (all.ledger().nowNanos() - begunAt) / 1_000_000_000;
    String after = "start timed out after " + seconds + " s ";
    if (forkAskedAt > 0) {
      return End.of(End.Cause.INTERRUPTED, after + "starting the agent");
    }
    return rowWritten
        ? End.startFailed(
            Failure.REPOSITORY, after + "reaching the repository; check its mount and its size")
        : End.startFailed(
            Failure.DATA_FOLDER, after + "writing the journal; check the disk of the data folder");
  }

  private void attempt() {
    try {
      Start tried = tried();
      LiveSession agent = tried.agent();
      if (!finished(tried)) {
        undone();
      } else if (agent != null) {
        journalled(agent);
      }
    } catch (InterruptedException e) {
      log.debug("start interrupted, the sweep ends it: session={}", session.id());
    } catch (Throwable e) {
      // Errors too: the session's thread would wait for its whole limit.
      broken(e);
    } finally {
      all.trees().answered(session.id());
    }
  }

  private Start tried() throws InterruptedException {
    Launch launch;
    try {
      End refused = unread();
      if (refused == null) {
        refused = journalled();
      }
      if (refused != null) {
        return refused(refused);
      }
      rowWritten = true;
      // This may take as long as writing a whole tree; the lease is renewed meanwhile.
      Workplace entered =
          all.workplaces().enter(session.item(), session.polledBy(), this::moreTime);
      worked = entered;
      place.set(entered);
      // However long that took, what is left to do has the whole time.
      moreTime(Duration.ZERO);
      launch = launch(entered);
    } catch (IOException e) {
      return refused(failed(e));
    } catch (UncheckedIOException e) {
      // The repository is read for the prompt.
      return refused(End.startFailed(Failure.REPOSITORY, String.valueOf(e.getMessage())));
    } catch (RuntimeException | Error e) {
      log.error("session failed in the runner before its start: session={}", session.id(), e);
      return refused(End.of(End.Cause.INTERRUPTED, SessionRun.ERROR + e));
    }
    // The deadman's clock is read before the runner's: after a freeze between the two the deadline
    // is too early, never too late.
    Duration sinceBoot = BootClock.sinceBoot();
    long now = all.ledger().nowNanos();
    Fence fence = session.fence();
    long life = fence.deadmanAt() - now;
    End early = now >= fence.fenceAt() || life <= 0 ? End.FENCED : session.early().orElse(null);
    if (early != null || !askingToFork(now, fence)) {
      return refused(early == null ? End.FENCED : early);
    }
    return forked(launch, sinceBoot.plusNanos(life), now);
  }

  private Launch launch(Workplace entered) {
    AgentSession earlier = all.resumed(session);
    SessionRequest request = session.request();
    var environment = new HashMap<>(all.environment());
    Trace trace = Trace.of(session.item().toString(), request.snapshot().revision());
    environment.put(Trace.PARENT.toUpperCase(Locale.ROOT), trace.parent(session.id()));
    if (entered.temporary() != null) {
      environment.put("TMPDIR", entered.temporary().toString());
    }
    return new Launch(
        session.id(),
        earlier == null ? all.agent().command(session.id()) : all.agent().resuming(earlier.id()),
        environment,
        entered.directory(),
        all.agent()
            .input()
            .of(
                session.item(),
                earlier == null ? request.fresh(whyFresh(request)) : request,
                entered.codebase()));
  }

  private String whyFresh(SessionRequest request) {
    AgentSession asked = request.resume();
    boolean same = asked != null && all.agent().label().equals(asked.agent());
    return same ? Handover.HOME_MISSING : Handover.OTHER_AGENT;
  }

  /** The fault of this runner or its settings that keeps the session from starting. */
  private End failed(IOException why) {
    String code =
        switch (why) {
          case Workplaces.NoWorkplace none -> none.code();
          case CannotStart known ->
              switch (known.code()) {
                case "not-found", "not-executable" ->
                    inRepository() ? Failure.AGENT_PROGRAM_OF_SOURCE : Failure.AGENT_PROGRAM;
                case "no-directory" -> Failure.REPOSITORY;
                case "user" -> Failure.AGENT_USER;
                default -> known.code();
              };
          default -> "not-started";
        };
    return End.startFailed(code, String.valueOf(why.getMessage()));
  }

  private boolean inRepository() {
    List<String> program = all.agent().program();
    return !program.isEmpty() && program.getFirst().indexOf('/') > 0;
  }

  private void moreTime(Duration more) {
    limitAt = all.ledger().nowNanos() + limit().plus(more).toNanos();
  }

  /** Reads the request, of which the claim knew only the place; null if the session may start. */
  private @Nullable End unread() {
    try {
      return session.readRequest()
          ? null
          : End.of(End.Cause.UNWANTED, "request was replaced or withdrawn");
    } catch (IOException e) {
      return End.of(End.Cause.INTERRUPTED, String.valueOf(e.getMessage()));
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
    forking = true;
    return true;
  }

  private Start forked(Launch launch, Duration until, long at) throws InterruptedException {
    ContainedProcess process = null;
    try {
      // Counted before it begins: a tree that lives uncounted could hide a breach of the cap.
      int beside = all.trees().starting(session.id());
      process = all.containment().startUntil(launch, until);
      all.trees().started(beside);
      if (held()) {
        var agent = all.live(process, session);
        // From now on every thread that cleans up finds it.
        session.attach(agent);
        return new Start(agent, End.EXITED, at, worked);
      }
      log.warn("process started after its start was given up: session={}", session.id());
      clear(process);
      return refused(End.FENCED);
    } catch (IOException e) {
      // Nothing of the tree runs; after any other fault it stays counted until its end is verified.
      var _ = all.trees().gone(session.id());
      return refused(failed(e));
    } catch (RuntimeException | Error e) {
      boolean waiting = held();
      log.error(
          "session failed in the runner at its start: session={} waiting={}",
          session.id(),
          waiting,
          e);
      clear(process);
      return new Start(null, End.of(End.Cause.BROKEN, SessionRun.ERROR + e), at, worked);
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
    var _ =
        run.ended(() ->
            process == null
                ? new KillReport(
                    List.of("KILL"),
                    all.containment().cleared(session.id(), SessionRun.NOW.verify()),
                    0,
                    0)
                : process.kill(SessionRun.NOW));
  }

  /**
   * Writes the row before the process starts: without the row a crash would leave a tree that no
   * sweep searches for.
   */
  private @Nullable End journalled() {
    try {
      all.journal().opened(session);
      return null;
    } catch (IOException e) {
      log.warn(
          "session not started, journal not written: session={} cause={}",
          session.id(),
          e.getMessage());
      return End.startFailed(Failure.DATA_FOLDER, "journal cannot be written: " + e.getMessage());
    }
  }

  /** Runs on this thread, which may hang on its disk; the session's thread watches the tree. */
  private void journalled(LiveSession agent) {
    try {
      all.journal().started(session.id(), agent.identity());
    } catch (IOException e) {
      // The row from before the start stays, and the cookie finds the tree.
      log.warn("journal row not updated: session={} cause={}", session.id(), e.getMessage());
    }
  }

  /**
   * The longest that placing and starting may take, besides the writing of a tree. It is longer
   * than a lease, so that the first deadline of a deadman has passed by then: an agent that is
   * forked later does not run.
   */
  private Duration limit() {
    return all.ledger().patience().multipliedBy(4).dividedBy(3);
  }

  private synchronized boolean finished(Start tried) {
    return !givenUp && done.complete(tried);
  }

  private synchronized void broken(Throwable cause) {
    done.completeExceptionally(cause);
  }

  private void undone() {
    leave();
    try {
      all.journal().closed(session.id());
    } catch (IOException e) {
      // The row stays; the next start finds nothing alive for it and removes it.
      log.warn("journal row not closed: session={} cause={}", session.id(), e.getMessage());
    }
  }
}
