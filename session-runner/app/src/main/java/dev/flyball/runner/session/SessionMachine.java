package dev.flyball.runner.session;

import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Failure.Kind;
import dev.flyball.contract.text.Dollars;
import dev.flyball.runner.agent.AgentSignal;
import dev.flyball.runner.session.EndCause.Clock;
import dev.flyball.runner.session.SessionState.Answered;
import dev.flyball.runner.session.SessionState.Ending;
import dev.flyball.runner.session.SessionState.Running;
import dev.flyball.runner.session.SessionState.Starting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * One session from the start of its agent until its tree is being ended: keeps the clocks and
 * decides. Pure: time comes in as elapsed milliseconds, decisions go out as steps. One owner calls
 * it.
 */
public final class SessionMachine {
  /** Least time between two progress reports. */
  public static final Duration PROGRESS_EVERY = Duration.ofSeconds(5);

  /**
   * How often an agent may name its session. Each time is an event that must arrive, and an agent's
   * output has room for a million.
   */
  static final int MAX_INTRODUCTIONS = 10;

  /**
   * Samples in a row above the memory limit that end a session: a process that is being replaced is
   * briefly counted twice.
   */
  static final int MEMORY_SAMPLES = 2;

  // A retry would use up as much again.
  private static final Failure OUTPUT = new Failure(Kind.PERMANENT, "output-limit");
  private static final Failure MEMORY = new Failure(Kind.PERMANENT, "memory-limit");
  private static final Failure BUDGET = new Failure(Kind.PERMANENT, "session-budget");
  private static final Failure PROCESSES = new Failure(Kind.TRANSIENT, "process-limit");

  private final SessionLimits limits;
  private SessionState state;
  private int introductions;

  /**
   * Creates the machine of a session whose agent was started now.
   *
   * @param identified whether the agent is identified by being started
   */
  public SessionMachine(SessionLimits limits, boolean identified, long nowMs) {
    this.limits = limits;
    var starting = new Starting(Vitals.at(nowMs));
    this.state = identified ? starting.identified() : starting;
  }

  /** The session's state. */
  public SessionState state() {
    return state;
  }

  /** Takes one input and returns the steps that follow. */
  public List<SessionStep> on(SessionInput input, long nowMs) {
    return switch (input) {
      case SessionInput.Output output -> output(output.bytes(), output.progress(), nowMs);
      case SessionInput.Line line -> {
        state = state.with(state.vitals().line(line.standardError()));
        yield output(0, line.progress(), nowMs);
      }
      case SessionInput.Said said -> said(said.signal(), nowMs);
      case SessionInput.Counted counted -> counted(counted, nowMs);
      case SessionInput.Exited exited -> exited();
      case SessionInput.Stop stop -> end(stop.cause());
      case SessionInput.Tick tick -> tick(nowMs);
    };
  }

  /** When the next clock runs out, elapsed milliseconds: the driver ticks then at the latest. */
  public long nextMs() {
    Vitals v = state.vitals();
    long progress = v.reportedMs() + PROGRESS_EVERY.toMillis();
    return switch (state) {
      case Starting starting -> Math.min(v.startedMs() + limits.identify().toMillis(), wallMs(v));
      case Running running -> {
        long silence = running.hung() ? stallMs(v) : v.outputMs() + limits.hung().toMillis();
        yield Math.min(Math.min(silence, wallMs(v)), progress);
      }
      case Answered answered ->
          Math.min(answered.sinceMs() + limits.postResult().toMillis(), wallMs(v));
      case Ending ending -> Long.MAX_VALUE;
    };
  }

  private List<SessionStep> output(long bytes, boolean progress, long nowMs) {
    state = state.with(state.vitals().wrote(bytes, progress, nowMs));
    if (state.vitals().outputBytes() > limits.outputBytes()) {
      return end(
          new EndCause.OverLimit(
              OUTPUT, "output limit of " + (limits.outputBytes() >> 20) + " MB"));
    }
    if (state instanceof Running running && running.hung() && progress) {
      state = running.hanging(false);
      return List.of(new SessionStep.Recovered());
    }
    return List.of();
  }

  private List<SessionStep> said(AgentSignal signal, long nowMs) {
    return switch (signal) {
      case AgentSignal.Identified who -> identified(who);
      case AgentSignal.Usage usage -> used(usage);
      case AgentSignal.Waiting waiting -> List.of();
      case AgentSignal.Working working -> {
        if (state instanceof Answered answered) {
          state = answered.workingOn();
        }
        yield List.of();
      }
      case AgentSignal.ToolRunning tool -> {
        state = state.with(state.vitals().tool(tool.running()));
        yield List.of();
      }
      case AgentSignal.Result result -> answered(nowMs);
    };
  }

  private List<SessionStep> identified(AgentSignal.Identified who) {
    if (state instanceof Starting starting) {
      state = starting.identified();
    }
    // Also at the end: a program that exits immediately is gone before its first line is read, and
    // without its session's id the item's next session could not resume it.
    return ++introductions > MAX_INTRODUCTIONS
        ? List.of()
        : List.of(new SessionStep.Identified(who.agentSession(), who.model()));
  }

  private List<SessionStep> used(AgentSignal.Usage usage) {
    state = state.with(state.vitals().used(usage));
    // An agent that has answered and is over its budget has already spent the money: its answer is
    // kept.
    if (state instanceof Answered) {
      return List.of();
    }
    if (above(limits.budgetMicros(), usage.costMicros())) {
      return end(overBudget(Dollars.exact(limits.budgetMicros()) + " USD"));
    }
    return above(limits.budgetTokens(), usage.tokens())
        ? end(overBudget(limits.budgetTokens() + " tokens"))
        : List.of();
  }

  private List<SessionStep> answered(long nowMs) {
    if (state instanceof Starting starting) {
      // A resumed session that the agent does not know answers without ever naming its session.
      state = starting.identified();
    }
    if (state instanceof Running running) {
      state = running.answered(nowMs);
    }
    return List.of();
  }

  private List<SessionStep> counted(SessionInput.Counted counted, long nowMs) {
    boolean above = above(limits.memoryBytes(), counted.memoryBytes());
    state = state.with(state.vitals().counted(counted.processes(), counted.memoryBytes(), above));
    Vitals v = state.vitals();
    if (state instanceof Ending) {
      return List.of();
    }
    if (v.tree().processes() > limits.processesKill()) {
      return end(
          new EndCause.OverLimit(
              PROCESSES, v.tree().processes() + " processes, limit " + limits.processesKill()));
    }
    if (v.tree().memoryAbove() >= MEMORY_SAMPLES) {
      return end(
          new EndCause.OverLimit(
              MEMORY, "memory limit of " + (limits.memoryBytes() >> 20) + " MB"));
    }
    if (v.tree().processes() > limits.processesWarn() && !v.tree().warned()) {
      state = state.with(v.reported(nowMs, true));
      return List.of(new SessionStep.Grown(v, limits.processesWarn()));
    }
    return List.of();
  }

  private List<SessionStep> exited() {
    List<SessionStep> steps = end(new EndCause.Exited());
    return steps.isEmpty() ? List.of() : List.of(new SessionStep.Finish());
  }

  private List<SessionStep> end(EndCause cause) {
    boolean fence = cause.atOnce();
    return switch (state) {
      case Starting starting -> ending(starting.ending(cause), fence);
      case Running running -> ending(running.ending(cause), fence);
      case Answered answered -> ending(answered.ending(cause), fence);
      // The tree may still be on a gentle ladder, for which the lease does not wait; the first
      // cause stays.
      case Ending ending -> fence ? List.of(new SessionStep.Kill(cause, true)) : List.of();
    };
  }

  private List<SessionStep> ending(Ending next, boolean atOnce) {
    state = next;
    return List.of(new SessionStep.Kill(next.cause(), atOnce));
  }

  private List<SessionStep> tick(long nowMs) {
    Vitals v = state.vitals();
    return switch (state) {
      case Ending ending -> List.of();
      case SessionState any when nowMs >= wallMs(v) -> timedOut(Clock.WALL, limits.wallClock());
      case Starting starting ->
          nowMs >= v.startedMs() + limits.identify().toMillis()
              ? timedOut(Clock.IDENTIFY, limits.identify())
              : List.of();
      case Answered answered ->
          nowMs >= answered.sinceMs() + limits.postResult().toMillis()
              ? timedOut(Clock.POST_RESULT, limits.postResult())
              : List.of();
      case Running running -> runningTick(running, nowMs);
    };
  }

  private List<SessionStep> runningTick(Running running, long nowMs) {
    Vitals v = running.vitals();
    if (nowMs >= stallMs(v)) {
      return timedOut(Clock.STALL, v.toolRunning() ? limits.stallInTool() : limits.stall());
    }
    var steps = new ArrayList<SessionStep>(2);
    Running now = running;
    if (!now.hung() && nowMs >= v.outputMs() + limits.hung().toMillis()) {
      now = now.hanging(true);
      steps.add(new SessionStep.Hung(nowMs - v.outputMs(), v.lines()));
    }
    if (nowMs >= v.reportedMs() + PROGRESS_EVERY.toMillis()) {
      now = now.with(v.reported(nowMs, false));
      steps.add(new SessionStep.Progress(v));
    }
    state = now;
    return steps;
  }

  private static boolean above(long limit, long value) {
    return limit > 0 && value > limit;
  }

  private static EndCause overBudget(String of) {
    return new EndCause.OverLimit(BUDGET, "session budget of " + of + " is spent");
  }

  private List<SessionStep> timedOut(Clock clock, Duration limit) {
    return end(new EndCause.TimedOut(clock, limit, state.vitals().lines()));
  }

  private long wallMs(Vitals v) {
    return v.startedMs() + limits.wallClock().toMillis();
  }

  private long stallMs(Vitals v) {
    return v.outputMs() + (v.toolRunning() ? limits.stallInTool() : limits.stall()).toMillis();
  }
}
