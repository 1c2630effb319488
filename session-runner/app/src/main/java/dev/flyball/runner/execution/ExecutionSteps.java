package dev.flyball.runner.execution;

import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.ContainedProcess.KillReport;
import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.AgentSession;
import dev.flyball.contract.session.SessionResult;
import dev.flyball.contract.session.TokenCount;
import dev.flyball.runner.agent.Agent;
import dev.flyball.runner.agent.AgentAnswer;
import dev.flyball.runner.agent.AgentReader.Reported;
import dev.flyball.runner.agent.AgentSignal.Usage;
import dev.flyball.runner.events.OutputChunks;
import dev.flyball.runner.repository.GitLocks;
import dev.flyball.runner.session.EndCause;
import dev.flyball.runner.session.SessionEnd;
import dev.flyball.runner.session.SessionLimits;
import dev.flyball.runner.session.SessionMachine;
import dev.flyball.runner.session.SessionStep;
import dev.flyball.runner.session.Vitals;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out the steps of every session of a runner: processes, events, journal and lease. It
 * holds no session's state; any thread.
 */
public final class ExecutionSteps {
  private static final Logger log = LoggerFactory.getLogger(ExecutionSteps.class);
  private static final Duration INTERRUPT = Duration.ofSeconds(2);
  private static final Duration VERIFY = Duration.ofSeconds(2);

  /** A later end of a limit is cut to this, in seconds since 1970: an agent may report any time. */
  private static final long LATEST = 1L << 40;

  private final AgentLauncher launcher;
  private final SessionReports reports;
  private final SessionJournal journal;
  private final LeaseHold lease;
  private final SessionLimits limits;
  private final Blame blame;

  /** Creates the steps of sessions that are started, reported, bounded and charged like this. */
  public ExecutionSteps(
      AgentLauncher launcher,
      SessionReports reports,
      SessionJournal journal,
      LeaseHold lease,
      SessionLimits limits,
      Blame blame) {
    this.launcher = launcher;
    this.reports = reports;
    this.journal = journal;
    this.lease = lease;
    this.limits = limits;
    this.blame = blame;
  }

  AgentLauncher launcher() {
    return launcher;
  }

  SessionReports reports() {
    return reports;
  }

  SessionJournal journal() {
    return journal;
  }

  /** How a session's tree is ended and verified dead. */
  TreeEnd tree() {
    return new TreeEnd(launcher.trees(), reports);
  }

  /** How long to wait for a broker; after that the session may have lost its lease. */
  Duration patience() {
    return lease.patience();
  }

  /** Attaches the process to the handle, so that every thread that cleans up finds it. */
  LiveSession attached(SessionHandle handle, ContainedProcess process) {
    OutputChunks chunks = reports.chunks(handle);
    var machine = new SessionMachine(limits, identifiedAtSpawn(), System.nanoTime() / 1_000_000);
    AgentSession earlier = launcher.resumed(handle);
    TokenCount before = earlier == null ? TokenCount.NONE : earlier.used();
    var streams = new AgentStreams(launcher.agent().reader(before), chunks);
    var agent = new LiveSession(process, machine, streams, chunks, launcher.sampleEvery());
    handle.attach(agent);
    return agent;
  }

  /** What a session's end is charged to. */
  Blame blame() {
    return blame;
  }

  /** Reports that the agent was started, and begins to read its output. */
  void began(SessionHandle handle, LiveSession agent) {
    blame.works(handle, false);
    SessionLog.started(handle, agent.identity().pid(), level(), agent());
    AgentSession earlier = launcher.resumed(handle);
    if (earlier != null) {
      handle.identified(earlier.id(), null);
    }
    reports.say(
        handle,
        EventType.SESSION_SPAWNED,
        EventData.EMPTY
            .with(Field.PID, agent.identity().pid())
            .with(Field.LEVEL, level())
            .with(Field.AGENT, agent())
            .with(Field.PROFILE, handle.profile())
            .with(Field.ROUTED_BY, handle.request().routedBy())
            .with(Field.LIMIT_MS, limits.wallClock().toMillis())
            .with(Field.HOME, home(handle))
            .with(Field.REUSED, reused(handle) == null ? null : String.valueOf(reused(handle)))
            .with(Field.AGENT_SESSION, earlier == null ? null : earlier.id()));
    if (identifiedAtSpawn()) {
      handle.identified(handle.session(), null);
      reports.say(
          handle,
          EventType.SESSION_IDENTIFIED,
          EventData.EMPTY.with(Field.AGENT_SESSION, handle.session()));
    }
    agent.begin();
  }

  /** The runner that keeps the agent's session; null if the agent's sessions cannot be resumed. */
  private @Nullable String home(SessionHandle handle) {
    return launcher.agent().is(Agent.Trait.RESUMES) ? handle.lease().runner() : null;
  }

  /** Whether it goes on with an earlier session; null if neither agent nor request knows of one. */
  private @Nullable Boolean reused(SessionHandle handle) {
    boolean known = home(handle) != null || handle.request().resume() != null;
    return known ? reuses(handle) : null;
  }

  /** What the release says of the agent, so that it does not depend on events that come later. */
  LedgerEntry.AgentRun run(SessionHandle handle, @Nullable String turn) {
    return new LedgerEntry.AgentRun(
        agent(),
        handle.profile(),
        handle.agentSession(),
        home(handle),
        reused(handle),
        handle.model(),
        turn);
  }

  /** Whether it goes on with an earlier session of its agent. */
  boolean reuses(SessionHandle handle) {
    return launcher.resumed(handle) != null;
  }

  /** Carries out the machine's decisions until the tree is verified dead. */
  KillReport watch(SessionHandle handle, LiveSession agent) throws InterruptedException {
    while (true) {
      SessionStep step = agent.next();
      Vitals vitals = agent.vitals();
      handle.used(vitals.usage().tokens(), vitals.usage().costMicros());
      launcher.trees().counted(handle.session(), vitals.tree().processes());
      if (vitals.usage().tokens() > 0) {
        blame.works(handle, true);
      }
      switch (step) {
        case null -> {}
        case SessionStep.Kill kill -> {
          KillLadder ladder = kill.atOnce() ? KillLadder.now(VERIFY) : ladder();
          SessionLog.killed(handle, kill.cause().kind(), ladder.first());
          return tree().end(handle, agent, ladder);
        }
        case SessionStep.Finish finish -> {
          return tree().end(handle, agent, ladder());
        }
        case SessionStep.Identified who -> identified(handle, who);
        case SessionStep.Progress progress -> progress(handle, progress);
        case SessionStep.Grown grown -> grown(handle, grown);
        case SessionStep.Hung hung -> hung(handle, hung);
        case SessionStep.Recovered recovered -> {
          SessionLog.recovered(handle);
          reports.say(handle, EventType.SESSION_RECOVERED, EventData.EMPTY);
        }
      }
    }
  }

  /** Published, not offered: a notification follows from it. */
  private void grown(SessionHandle handle, SessionStep.Grown grown) {
    SessionLog.grown(handle, grown);
    reports.say(
        handle,
        EventType.SESSION_PROGRESSED,
        progress(grown.vitals())
            .with(
                Field.REASON,
                grown.vitals().tree().processes() + " processes, warned from " + grown.limit()));
  }

  private void hung(SessionHandle handle, SessionStep.Hung hung) {
    SessionLog.hung(handle, hung.silentMs(), limits.hung().toMillis());
    reports.say(
        handle,
        EventType.SESSION_HUNG,
        EventData.EMPTY
            .with(
                Field.REASON, "silent for " + hung.silentMs() / 1000 + " s; " + hung.seen().text())
            .with(Field.OUTPUT_AGE_MS, hung.silentMs()));
  }

  /**
   * Lock files that a session left in a repository that stays. Trees below the data folder are
   * removed with their sessions.
   *
   * @param ago since when the session has run
   */
  List<Path> locksLeft(SessionHandle handle, Duration ago) {
    Instant now = reports.clock().instant();
    return handle
        .lasting()
        .map(folder -> GitLocks.left(folder, now.minus(ago), now.plusSeconds(1)))
        .orElse(List.of());
  }

  /** Reports the session id and the model that the agent named. */
  void identified(SessionHandle handle, SessionStep.Identified who) {
    String own =
        who.agentSession() == null ? handle.session() : reports.redacted(who.agentSession());
    String model = reports.redactedOrNull(who.model());
    handle.identified(own, model);
    reports.say(
        handle,
        EventType.SESSION_IDENTIFIED,
        EventData.EMPTY.with(Field.AGENT_SESSION, own).with(Field.MODEL, model));
  }

  private KillLadder ladder() {
    return new KillLadder(
        launcher.agent().is(Agent.Trait.ENDS_TURN_ON_INTERRUPT) ? INTERRUPT : Duration.ZERO,
        limits.grace(),
        VERIFY);
  }

  private void progress(SessionHandle handle, SessionStep.Progress progress) {
    if (!lease.confirmedLately(handle)) {
      return;
    }
    EventData data = progress(progress.vitals());
    reports.sink().offer(reports.events(handle).event(EventType.SESSION_PROGRESSED, data));
  }

  private static EventData progress(Vitals vitals) {
    return EventData.EMPTY
        .with(Field.PROCESSES, vitals.tree().processes())
        .with(Field.PROCESSES_PEAK, vitals.tree().processesPeak())
        .with(Field.MEMORY_PEAK_BYTES, vitals.tree().memoryPeakBytes())
        .with(Field.INPUT_TOKENS, vitals.usage().inputTokens())
        .with(Field.OUTPUT_TOKENS, vitals.usage().outputTokens())
        .with(Field.CACHED_TOKENS, vitals.usage().cachedTokens())
        .with(Field.COST_MICROS, vitals.usage().costMicros())
        .with(Field.OUTPUT_AGE_MS, Math.max(0, System.nanoTime() / 1_000_000 - vitals.outputMs()));
  }

  /**
   * Publishes the result. Returns how the session ends once the result is published or cannot be.
   */
  SessionEnd sayResult(
      SessionHandle handle, SessionEnd end, EventData figures, SessionResult result)
      throws InterruptedException {
    return new ResultReport(reports.sink(), lease, reports.events(handle), figures).of(end, result);
  }

  /**
   * Pauses the provider. This happens before the release, so that the slot which the release frees
   * does not start the next session into the same limit.
   */
  void providerLimited(SessionHandle handle, AgentAnswer.Broken broken) {
    String named = handle.request().provider();
    if (named == null) {
      return;
    }
    String provider = broken.refusal().stops(named);
    String why = reports.redacted(SessionEnd.blame(broken));
    if (broken.accountExhausted()) {
      lease.providerLimited(provider, null, LedgerEntry.Pause.exhausted(why));
    } else {
      // The ledger's side bounds it.
      lease.providerLimited(
          provider,
          now -> Instant.ofEpochSecond(Math.clamp(broken.refusal().until(now), 0, LATEST)),
          why);
    }
  }

  void release(SessionHandle handle, LedgerEntry.Release release) {
    if (handle.releasing()) {
      lease.dead(release);
      handle.reported();
      SessionLog.ended(handle, release, level());
    }
  }

  void close(SessionHandle handle) throws InterruptedException {
    try {
      handle.whenClosed().get();
      journal.closed(handle.session());
    } catch (ExecutionException | IOException e) {
      // The row stays; the next start finds nothing alive for it and removes it.
      log.warn("journal row not closed: session={} cause={}", handle.session(), e.getMessage());
    }
  }

  /** What is booked for a session; see {@link Agent#booked}. */
  Usage booked(Usage used, long reserve, Reported reported, boolean bySelf) {
    return launcher.agent().booked(used, reserve, reported, bySelf);
  }

  long nowNanos() {
    return lease.nowNanos();
  }

  String level() {
    return launcher.containment().level().label();
  }

  String agent() {
    return launcher.agent().label();
  }

  /** The name and version of the prompt's template; null if the agent read none. */
  @Nullable String prompt() {
    return launcher.agent().input().prompt();
  }

  /** Whether its agent is identified by its start: its output may never report a token. */
  boolean identifiedAtSpawn() {
    return launcher.agent().is(Agent.Trait.IDENTIFIED_AT_SPAWN);
  }

  /**
   * Ends a session's process tree and waits until nothing is left. A tree that cannot be ended is
   * reported when that is first seen, every ten minutes while it lasts, and when its last process
   * has ended. It keeps its slot and its lease meanwhile.
   */
  record TreeEnd(LiveTrees trees, SessionReports reports) {
    private static final Logger log = LoggerFactory.getLogger(TreeEnd.class);
    private static final long AGAIN_MS = 200;

    /** Attempts that may fail before a tree is reported as one that cannot be ended. */
    private static final int MOST_UNVERIFIED = 5;

    /** Returns once nothing of the tree is left. */
    KillReport end(SessionHandle handle, LiveSession agent, KillLadder ladder)
        throws InterruptedException {
      String session = handle.session();
      KillReport report = agent.end(ladder, left -> unkillable(handle, left));
      gone(handle);
      EndCause cause = agent.cause();
      log.info(
          "tree ended: session={} cause={} detail={}",
          session,
          cause == null ? "none" : cause.kind(),
          cause == null ? "" : reports.redacted(cause.text()));
      return report;
    }

    /**
     * Ends what was left by a start that was given up or failed half way. Returns only once nothing
     * is left, whatever fails meanwhile: otherwise the session's slot would be free beside its
     * tree.
     *
     * @param kill tries once, and returns how many processes still live
     */
    void clear(SessionHandle handle, IntSupplier kill) throws InterruptedException {
      for (int attempt = 1; !cleared(handle, kill, attempt); attempt++) {
        Thread.sleep(AGAIN_MS);
      }
    }

    private boolean cleared(SessionHandle handle, IntSupplier kill, int attempt) {
      try {
        int left = kill.getAsInt();
        if (left > 0) {
          unkillable(handle, new KillReport(List.of("KILL"), left, 0, 0));
          return false;
        }
        gone(handle);
        return true;
      } catch (RuntimeException | Error e) {
        if (attempt <= MOST_UNVERIFIED) {
          log.warn("a tree cannot be ended yet: session={}", handle.session(), e);
        } else {
          // How many live is unknown; at least one has to be assumed.
          unkillable(handle, new KillReport(List.of("KILL"), 1, 0, 0));
        }
        return false;
      }
    }

    private void gone(SessionHandle handle) {
      if (trees.gone(handle.session())) {
        log.warn("the last process of an unkillable tree ended: session={}", handle.session());
        reports.say(
            handle, EventType.SESSION_ORPHAN_REAPED, EventData.EMPTY.with(Field.SURVIVORS, 0));
      }
    }

    private void unkillable(SessionHandle handle, KillReport left) {
      String session = handle.session();
      if (trees.unkillable(session, left.survivors(), System.nanoTime())) {
        log.error(
            "processes cannot be ended: session={} survivors={} steps={}",
            session,
            left.survivors(),
            left.steps());
        reports.say(
            handle,
            EventType.SESSION_KILLED,
            EventData.EMPTY
                .with(Field.REASON, "unkillable: processes live on after the last step")
                .with(Field.KILL_STEPS, left.steps())
                .with(Field.SURVIVORS, left.survivors()));
      }
    }
  }
}
