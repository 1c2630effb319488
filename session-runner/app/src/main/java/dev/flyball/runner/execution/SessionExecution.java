package dev.flyball.runner.execution;

import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.containment.ContainedProcess.KillReport;
import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Receipt;
import dev.flyball.contract.session.SessionResult;
import dev.flyball.contract.session.Timings;
import dev.flyball.runner.agent.AgentAnswer;
import dev.flyball.runner.agent.AgentSignal.Usage;
import dev.flyball.runner.gate.RunnerFaults.Course;
import dev.flyball.runner.session.EndCause;
import dev.flyball.runner.session.SessionEnd;
import dev.flyball.runner.session.Vitals;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One session from its effective claim to its closed journal row, as one immutable value. Each step
 * takes the value and returns it one step further. A step that has nothing to do returns the value
 * that it got. Once there is a cause to end, nothing starts.
 *
 * @param startedAt elapsed nanoseconds at which the fork of its agent was requested, 0 if it was
 *     not: an agent may have run from then on
 * @param agent the agent that runs or ran; null if none was started
 * @param death how it ended; {@link Death#NOT_YET} before
 * @param end how it is classified; null before
 */
record SessionExecution(
    SessionHandle handle,
    ExecutionSteps steps,
    long startedAt,
    @Nullable LiveSession agent,
    Death death,
    @Nullable SessionEnd end) {

  /**
   * The end of a session's tree.
   *
   * @param at elapsed nanoseconds at which the tree was verified dead; 0 before
   * @param report the report of the kill; null if there was none
   */
  record Death(
      EndCause cause,
      long at,
      @Nullable KillReport report,
      @Nullable Exit exit,
      AgentAnswer answer) {
    private static final AgentAnswer NONE =
        new AgentAnswer.Broken(
            new Failure(Failure.Kind.TRANSIENT, "not-started"), "never started", "");
    private static final Death NOT_YET = new Death(new EndCause.Exited(), 0, null, null, NONE);

    private @Nullable Integer exitCode() {
      return exit == null || exit.signalled() ? null : exit.code();
    }

    private @Nullable Integer signal() {
      return exit == null || !exit.signalled() ? null : exit.signal();
    }

    /** Whether the agent exited by itself. */
    private boolean bySelf() {
      return cause instanceof EndCause.Exited && exit != null && !exit.signalled();
    }
  }

  static SessionExecution of(SessionHandle handle, ExecutionSteps steps) {
    return new SessionExecution(handle, steps, 0, null, Death.NOT_YET, null);
  }

  /** Returns this session with its agent, which was started. */
  SessionExecution running(LiveSession started, long at) {
    return new SessionExecution(handle, steps, at, started, death, end);
  }

  /**
   * Returns this session without an agent.
   *
   * @param cause why none runs or will
   */
  SessionExecution unstarted(EndCause cause, long at) {
    var never = new Death(cause, steps.nowNanos(), null, null, Death.NONE);
    return new SessionExecution(handle, steps, at, null, never, end);
  }

  /**
   * Runs the session from start to end. Returns when the ledger shows the end. Throws if the thread
   * is interrupted; then the sweep of the next start ends the session.
   */
  SessionExecution run() throws InterruptedException {
    return started().watchedToItsEnd().classified().reported().released().closed();
  }

  private SessionExecution started() throws InterruptedException {
    SessionExecution made = new StartAttempt(this).made();
    if (made.agent != null) {
      steps.began(handle, made.agent);
    }
    return made;
  }

  private SessionExecution watchedToItsEnd() throws InterruptedException {
    if (agent == null) {
      return this;
    }
    KillReport killed = steps.watch(handle, agent);
    EndCause why = agent.cause() == null ? new EndCause.Exited() : agent.cause();
    Exit how = agent.exit();
    var died = new Death(why, steps.nowNanos(), killed, how, agent.answer(why, how));
    agent.introductions().forEach(who -> steps.identified(handle, who));
    return new SessionExecution(handle, steps, startedAt, agent, died, end);
  }

  private SessionExecution classified() {
    SessionEnd own =
        steps
            .reports()
            .redacted(
                SessionEnd.classify(death.cause(), death.answer(), death.exit())
                    .reused(silentReuse()))
            .leaving(locksLeft().stream().map(String::valueOf).toList());
    return with(steps.blame().charged(handle, own, course()));
  }

  private Course course() {
    // The time that an agent takes which reports no tokens shows nothing about its runner.
    boolean silence = death.cause() instanceof EndCause.TimedOut && !steps.identifiedAtSpawn();
    return new Course(agent != null, spoke(), death.cause() instanceof EndCause.Exited || silence);
  }

  private boolean spoke() {
    return switch (death.answer()) {
      case AgentAnswer.Complete complete -> true;
      case AgentAnswer.Broken broken ->
          agent != null
              && (agent.vitals().usage().tokens() > 0
                  || (steps.identifiedAtSpawn() && !broken.text().isBlank()));
    };
  }

  /** Lock files in the repository that a git of the killed tree left. */
  private List<Path> locksLeft() {
    KillReport killed = death.report();
    return killed == null || killed.steps().isEmpty()
        ? List.of()
        : steps.locksLeft(handle, Duration.ofNanos(steps.nowNanos() - startedAt));
  }

  /** Whether it went on with an earlier session of its agent, and ended without one token. */
  private boolean silentReuse() {
    return agent != null
        && steps.reuses(handle)
        && death.bySelf()
        && Objects.equals(death.exitCode(), 0)
        && agent.vitals().usage().tokens() == 0;
  }

  /** Null where it does not matter: the agent ended by itself without having answered. */
  private @Nullable String turn(Receipt receipt) {
    if (agent == null) {
      return null;
    }
    return agent.turnEnded() ? "ended" : receipt.killSteps().isEmpty() ? null : "cut";
  }

  private SessionExecution reported() throws InterruptedException {
    KillReport killed = death.report();
    if (killed != null && !killed.steps().isEmpty()) {
      steps.reports().say(handle, EventType.SESSION_KILLED, figures().with(Field.REASON, reason()));
    }
    if (death.answer().text().isBlank()) {
      return this;
    }
    EventData figures = figures().with(Field.DESERVED, deserved());
    return with(steps.sayResult(handle, outcome(), figures, result()));
  }

  private SessionExecution released() {
    if (death.answer() instanceof AgentAnswer.Broken broken
        && broken.failure().kind() == Failure.Kind.PROVIDER) {
      steps.providerLimited(handle, broken);
    }
    steps.release(
        handle,
        new LedgerEntry.Release(
            handle.session(),
            outcome().outcome(),
            outcome().reason(),
            outcome().failure(),
            death.exitCode(),
            death.signal(),
            timings(),
            usage().tokens(),
            usage().costMicros(),
            receipt(),
            agent == null ? null : steps.run(handle, turn(receipt()))));
    return this;
  }

  private SessionExecution closed() throws InterruptedException {
    handle.leave();
    steps.close(handle);
    return this;
  }

  /** How the session ended. */
  SessionEnd outcome() {
    if (end == null) {
      throw new IllegalStateException("asked for the outcome of a session that is not classified");
    }
    return end;
  }

  /** The receipt: how large the tree grew, and which steps its kill took. */
  Receipt receipt() {
    KillReport killed = death.report();
    if (killed == null || agent == null) {
      return startedAt == 0 ? Receipt.notStarted() : Receipt.unknown();
    }
    Vitals.TreeSize size = agent.vitals().tree();
    return new Receipt(
        steps.level(),
        Math.max(size.processesPeak(), killed.processesPeak()),
        Math.max(size.memoryPeakBytes(), killed.memoryPeakBytes()),
        killed.steps(),
        killed.survivors());
  }

  private SessionExecution with(SessionEnd other) {
    return new SessionExecution(handle, steps, startedAt, agent, death, other);
  }

  private String reason() {
    return outcome().text();
  }

  private EventData figures() {
    Receipt receipt = receipt();
    Usage used = usage();
    return EventData.EMPTY
        .with(Field.OUTCOME, outcome().outcome().label())
        .with(Field.EXIT_CODE, death.exitCode())
        .with(Field.SIGNAL, death.signal())
        .with(Field.INPUT_TOKENS, used.inputTokens())
        .with(Field.OUTPUT_TOKENS, used.outputTokens())
        .with(Field.CACHED_TOKENS, used.cachedTokens())
        .with(Field.COST_MICROS, used.costMicros())
        .with(Field.PROCESSES_PEAK, receipt.processesPeak())
        .with(Field.MEMORY_PEAK_BYTES, receipt.memoryPeakBytes())
        .with(Field.KILL_STEPS, receipt.killSteps())
        .with(Field.TURN, turn(receipt))
        .with(Field.SURVIVORS, receipt.survivors());
  }

  /** Whether the agent says that the item deserved its session; null if it does not say. */
  private @Nullable String deserved() {
    return death.answer() instanceof AgentAnswer.Complete complete ? complete.deserved() : null;
  }

  private SessionResult result() {
    // The runner knows which commit it gave to the agent; a model only guesses.
    String commit = handle.commit();
    return switch (death.answer()) {
      case AgentAnswer.Complete complete ->
          new SessionResult(
              commit == null ? steps.reports().redactedOrNull(complete.commit()) : commit,
              handle.noted(steps.reports().redacted(complete.text())),
              complete.files().stream().map(steps.reports()::redacted).toList(),
              false,
              steps.agent(),
              steps.reports().redactedOrNull(complete.model()),
              steps.prompt());
      case AgentAnswer.Broken broken ->
          new SessionResult(
              commit,
              handle.noted(steps.reports().redacted(broken.text())),
              List.of(),
              true,
              steps.agent(),
              null,
              steps.prompt());
    };
  }

  private Usage usage() {
    long reserve = handle.lease().reserve();
    if (agent == null) {
      // A start that was given up may have run an agent until its deadline.
      return startedAt == 0 ? Usage.NONE : Usage.NONE.costing(reserve);
    }
    return steps.booked(agent.vitals().usage(), reserve, agent.reported(), death.bySelf());
  }

  private Timings timings() {
    long waitedUntil = startedAt == 0 ? death.at() : startedAt;
    long now = steps.nowNanos();
    return new Timings(
        steps.reports().waitedMs(handle, now - waitedUntil),
        startedAt == 0 ? 0 : (death.at() - startedAt) / 1_000_000,
        (now - death.at()) / 1_000_000);
  }
}
