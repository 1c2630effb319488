package dev.flyball.runner.execution;

import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.ContainedProcess.KillReport;
import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.AgentSession;
import dev.flyball.contract.session.Outcome;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.session.Timings;
import dev.flyball.contract.text.OneLine;
import dev.flyball.runner.agent.Agent.Reported;
import dev.flyball.runner.agent.AgentSignal.Identified;
import dev.flyball.runner.agent.AgentSignal.Usage;
import dev.flyball.runner.execution.SessionEnding.Death;
import dev.flyball.runner.session.End;
import dev.flyball.runner.session.SessionMachine.Step;
import dev.flyball.runner.session.Vitals;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One session from its effective claim to its closed journal row, on its own thread: start, watch,
 * end, release, close. It logs one line when the agent starts, one when it is silent for too long
 * or has many processes, one when its tree is killed, one when that has ended, and one when the
 * session ends; everything else is in its events.
 */
final class SessionRun implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(SessionRun.class);

  /** The beginning of the reason of a session that failed in the runner and not in its agent. */
  static final String ERROR = "runner error: ";

  /** Kills without waiting, and takes two seconds at most to verify that nothing is left. */
  static final KillLadder NOW = KillLadder.now(Duration.ofSeconds(2));

  /** Most characters of what an agent does. */
  private static final int MOST_DOING = 200;

  private static final Duration AGAIN = Duration.ofMillis(200);

  /** Attempts that may fail before a tree is reported as one that cannot be ended. */
  private static final int MOST_UNVERIFIED = 5;

  private final Session session;
  private final Sessions all;

  private final StartAttempt attempt;

  /** What the agent named; it belongs to this thread. */
  private Identified named = new Identified(null, null);

  SessionRun(Session session, Sessions all) {
    this.session = session;
    this.all = all;
    this.attempt = new StartAttempt(this, session, all);
  }

  /** Returns when the ledger shows the session's end. */
  @Override
  public void run() {
    try {
      StartAttempt.Start start = attempt.made();
      Death death = died(start);
      release(new SessionEnding(session, all, start, named, death).release());
      attempt.leave();
      close();
    } catch (InterruptedException e) {
      log.debug("session interrupted, the sweep ends it: session={}", session.id());
    } catch (Throwable e) {
      // Errors too (no thread or memory left): if this thread ended, every clock of the session
      // would stop, while its lease was still renewed.
      log.error("session failed in the runner: session={}", session.id(), e);
      abandon(ERROR + e);
    }
  }

  private Death died(StartAttempt.Start start) throws InterruptedException {
    LiveSession agent = start.agent();
    if (agent == null) {
      return Death.unstarted(start.refused(), all.ledger().nowNanos());
    }
    began(agent);
    KillReport killed = watched(agent);
    End known = agent.cause();
    End cause = known == null ? End.EXITED : known;
    Exit exit = agent.exit();
    var death = new Death(cause, all.ledger().nowNanos(), killed, exit, agent.answer(cause, exit));
    agent.introductions().forEach(this::identified);
    return death;
  }

  /** Reports that the agent was started, and begins to read its output. */
  private void began(LiveSession agent) {
    all.blame().works(session, false);
    log.info(
        "session started: session={} item={} attempt={} pid={} level={} agent={}",
        about(all.level(), all.agent().label()));
    AgentSession earlier = all.resumed(session);
    if (earlier != null) {
      named = new Identified(earlier.id(), null);
    }
    Boolean reused = all.reused(session);
    all.say(
        session,
        EventType.SESSION_SPAWNED,
        EventData.EMPTY
            .with(Field.PID, agent.identity().pid())
            .with(Field.LEVEL, all.level())
            .with(Field.AGENT, all.agent().label())
            .with(Field.PROFILE, session.profile())
            .with(Field.ROUTED_BY, session.request().route().by())
            .with(Field.LIMIT_MS, all.limits().wallClock().toMillis())
            .with(Field.HOME, all.home(session))
            .with(Field.REUSED, reused == null ? null : reused.toString())
            .with(Field.AGENT_SESSION, named.agentSession()));
    if (all.identifiedAtSpawn()) {
      named = new Identified(session.id(), null);
      all.say(
          session,
          EventType.SESSION_IDENTIFIED,
          EventData.EMPTY.with(Field.AGENT_SESSION, session.id()));
    }
    agent.begin();
  }

  /** Carries out the machine's decisions until the tree is verified dead. */
  private KillReport watched(LiveSession agent) throws InterruptedException {
    while (true) {
      Step step = agent.next();
      Vitals vitals = agent.vitals();
      session.used(vitals.usage().tokens(), vitals.usage().costMicros());
      all.trees().counted(session.id(), vitals.processes());
      if (vitals.usage().tokens() > 0) {
        all.blame().works(session, true);
      }
      switch (step) {
        case null -> {}
        case Step.Kill kill -> {
          KillLadder ladder = kill.cause().atOnce() ? NOW : ladder();
          if (!kill.cause().by(End.Cause.EXITED)) {
            // Before the kill begins, so that one that hangs is seen too.
            log.info(
                "session killed: session={} item={} attempt={} pid={} cause={} signal={}",
                about(kill.cause().cause().label(), ladder.first()));
          }
          return endTree(agent, ladder);
        }
        case Step.Identified who -> identified(who.as());
        case Step.Progress progress -> {
          if (all.ledger().confirmedLately(session)) {
            all.sink()
                .offer(
                    all.event(
                        session, EventType.SESSION_PROGRESSED, progress(agent, progress.vitals())));
          }
        }
        case Step.Grown grown -> grown(agent, grown);
        case Step.Hung hung -> hung(hung);
        case Step.Recovered recovered -> {
          log.info("session recovered: session={} item={} attempt={} pid={}", about());
          all.say(session, EventType.SESSION_RECOVERED, EventData.EMPTY);
        }
      }
    }
  }

  /** Published, not offered: a notification follows from it. */
  private void grown(LiveSession agent, Step.Grown grown) {
    int processes = grown.vitals().processes();
    log.warn(
        "session has many processes: session={} item={} attempt={} pid={} processes={} limit={}",
        about(processes, grown.limit()));
    all.say(
        session,
        EventType.SESSION_PROGRESSED,
        progress(agent, grown.vitals())
            .with(Field.REASON, processes + " processes, warned from " + grown.limit()));
  }

  private void hung(Step.Hung hung) {
    log.warn(
        "session hung: session={} item={} attempt={} pid={} silentMs={} limitMs={}",
        about(hung.silentMs(), all.limits().hung().toMillis()));
    all.say(
        session,
        EventType.SESSION_HUNG,
        EventData.EMPTY
            .with(
                Field.REASON, "silent for " + hung.silentMs() / 1000 + " s; " + hung.seen().text())
            .with(Field.OUTPUT_AGE_MS, hung.silentMs()));
  }

  /** Reports the session id and the model that the agent named; a model named before stays. */
  private void identified(Identified who) {
    String own = who.agentSession() == null ? session.id() : all.redacted(who.agentSession());
    String model = all.redactedOrNull(who.model());
    named = new Identified(own, model == null ? named.model() : model);
    all.say(
        session,
        EventType.SESSION_IDENTIFIED,
        EventData.EMPTY.with(Field.AGENT_SESSION, own).with(Field.MODEL, model));
  }

  private KillLadder ladder() {
    return all.agent().ladder(all.limits().grace(), NOW.verify());
  }

  private EventData progress(LiveSession agent, Vitals vitals) {
    String doing = OneLine.of(all.redactor().redact(agent.doing(), MOST_DOING));
    return EventData.EMPTY
        .with(Field.PROCESSES, vitals.processes())
        .with(Field.DOING, doing.isEmpty() ? null : doing)
        .with(Field.PROCESSES_PEAK, vitals.processesPeak())
        .with(Field.MEMORY_PEAK_BYTES, vitals.memoryPeakBytes())
        .with(Field.INPUT_TOKENS, vitals.usage().inputTokens())
        .with(Field.OUTPUT_TOKENS, vitals.usage().outputTokens())
        .with(Field.CACHED_TOKENS, vitals.usage().cachedTokens())
        .with(Field.COST_MICROS, vitals.usage().costMicros())
        .with(Field.OUTPUT_AGE_MS, Math.max(0, System.nanoTime() / 1_000_000 - vitals.outputMs()));
  }

  private void release(LedgerEntry.Release release) {
    if (session.releasing()) {
      all.ledger().dead(release);
      session.reported();
      log.info(
          "session ended: session={} item={} attempt={} pid={} level={} exit={} signal={}"
              + " durationMs={} outcome={} reason={}",
          about(
              all.level(),
              known(release.exit()),
              known(release.signal()),
              release.timings().runningMs(),
              release.outcome().label(),
              known(release.reason())));
    }
  }

  private void close() throws InterruptedException {
    try {
      session.whenClosed().get();
      all.journal().closed(session.id());
    } catch (ExecutionException | IOException e) {
      // The row stays; the next start finds nothing alive for it and removes it.
      log.warn("journal row not closed: session={} cause={}", session.id(), e.getMessage());
    }
  }

  /**
   * Ends the session after a failure of the runner, in the same order as at any end: the tree dies,
   * the lease ends, the workplace is given back, the row is closed.
   */
  private void abandon(String reason) {
    try {
      LiveSession live = session.live().orElse(null);
      if (live != null) {
        var _ = ended(() -> live.kill(NOW));
      }
      release(abandoned(reason));
      attempt.leave();
      close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      // The row stays; the next start finds nothing alive for it and removes it.
      log.warn("session not closed: session={}", session.id(), e);
    }
  }

  /**
   * A session of which nothing was started uses none of its item's attempts. What another one had
   * not reported when its thread failed is unknown: it cost at least its whole reserve.
   */
  private LedgerEntry.Release abandoned(String reason) {
    if (!attempt.forking()) {
      return LedgerEntry.Release.of(
          session.id(), Outcome.INTERRUPTED, reason, Receipt.notStarted());
    }
    LedgerEntry.Usage known = session.usage();
    var used = new Usage(0, 0, known.tokens(), known.costMicros());
    Usage booked = all.agent().booked(used, session.lease().reserve(), Reported.IN_PART, false);
    return new LedgerEntry.Release(
        session.id(),
        Outcome.FAILED,
        reason,
        End.RUNNER_FAULT,
        null,
        null,
        Timings.ZERO,
        known.tokens(),
        booked.costMicros(),
        Receipt.unknown(),
        null);
  }

  /** Returns once nothing of the tree is left. */
  private KillReport endTree(LiveSession agent, KillLadder ladder) throws InterruptedException {
    var next = new AtomicReference<>(ladder);
    KillReport report = ended(() -> agent.kill(next.getAndSet(NOW)));
    End cause = agent.cause();
    log.info(
        "tree ended: session={} cause={} detail={}",
        session.id(),
        cause == null ? "none" : cause.cause().label(),
        cause == null ? "" : all.redacted(cause.text()));
    return report;
  }

  /**
   * Ends a tree, or what a failed start has left. Returns only once nothing is left, whatever fails
   * meanwhile: otherwise the session's slot would be free beside its tree.
   *
   * @param kill tries once
   */
  KillReport ended(Supplier<KillReport> kill) throws InterruptedException {
    for (int attempts = 1; ; attempts++) {
      try {
        KillReport report = kill.get();
        if (report.survivors() == 0) {
          gone();
          return report;
        }
        unkillable(report);
      } catch (RuntimeException | Error e) {
        if (attempts <= MOST_UNVERIFIED) {
          log.warn("a tree cannot be ended yet: session={}", session.id(), e);
        } else {
          // How many live is unknown; at least one has to be assumed.
          unkillable(new KillReport(List.of("KILL"), 1, 0, 0));
        }
      }
      Thread.sleep(AGAIN);
    }
  }

  /** Reports the end of a tree that could not be ended before. */
  private void gone() {
    if (all.trees().gone(session.id())) {
      log.warn("the last process of an unkillable tree ended: session={}", session.id());
      all.say(session, EventType.SESSION_ORPHAN_REAPED, EventData.EMPTY.with(Field.SURVIVORS, 0));
    }
  }

  /** Reports a tree that cannot be ended. It keeps its slot and its lease meanwhile. */
  private void unkillable(KillReport left) {
    long now = all.ledger().nowNanos();
    if (all.trees().unkillable(session.id(), left.survivors(), now)) {
      log.error(
          "processes cannot be ended: session={} survivors={} steps={}",
          session.id(),
          left.survivors(),
          left.steps());
      all.say(
          session,
          EventType.SESSION_KILLED,
          EventData.EMPTY
              .with(Field.REASON, "unkillable: processes live on after the last step")
              .with(Field.KILL_STEPS, left.steps())
              .with(Field.SURVIVORS, left.survivors()));
    }
  }

  /** The values that each of its log lines begins with, and more; without an agent no pid. */
  private Object[] about(Object... more) {
    Object pid;
    try {
      pid = known(session.live().map(live -> live.identity().pid()).orElse(null));
    } catch (RuntimeException | Error e) {
      // A machine that fails here must not keep the session from ending.
      pid = known(null);
    }
    return Stream.concat(
            Stream.of(session.id(), session.item(), session.lease().attempt(), pid),
            Stream.of(more))
        .toArray();
  }

  private static Object known(@Nullable Object value) {
    return value == null ? "-" : value;
  }
}
