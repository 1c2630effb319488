package dev.flyball.runner.session;

import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Failure.Kind;
import dev.flyball.contract.text.Dollars;
import dev.flyball.runner.agent.AgentSignal;
import dev.flyball.runner.session.End.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

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

  /** Samples in a row above the limit that end a session: two processes may overlap briefly. */
  static final int MEMORY_SAMPLES = 2;

  // A retry would use up as much again.
  private static final Failure OUTPUT = new Failure(Kind.PERMANENT, "output-limit");
  private static final Failure MEMORY = new Failure(Kind.PERMANENT, "memory-limit");
  private static final Failure BUDGET = new Failure(Kind.PERMANENT, "session-budget");
  private static final Failure PROCESSES = new Failure(Kind.TRANSIENT, "process-limit");

  /** The work of a session's driver. */
  public sealed interface Step {

    /** Report what the agent named of itself. */
    record Identified(AgentSignal.Identified as) implements Step {}

    /** Report the session's progress. */
    record Progress(Vitals vitals) implements Step {}

    /** Warn that the tree has more processes than {@code sessions.processes.warn}; once. */
    record Grown(Vitals vitals, int limit) implements Step {}

    /** Report that the session hangs. */
    record Hung(long silentMs, Vitals.Lines seen) implements Step {}

    record Recovered() implements Step {}

    /** End what is left of the tree: immediately for a lease fence, by the ladder otherwise. */
    record Kill(End cause) implements Step {}
  }

  private final SessionLimits limits;
  private final long startedMs;
  private Phase phase;

  /** When the agent last wrote something that shows progress. */
  private long outputMs;

  /** When progress was last reported. */
  private long reportedMs;

  private long outputBytes;
  private Vitals.Lines lines = Vitals.Lines.NONE;
  private AgentSignal.Usage usage = AgentSignal.Usage.NONE;
  private boolean toolRunning;
  private int processes = 1;
  private int processesPeak = 1;
  private long memoryPeakBytes;

  /** Samples in a row that were above the memory limit. */
  private int memoryAbove;

  /** Whether the tree was reported as large. */
  private boolean warned;

  /** Whether it was reported as silent for long; only while it is running. */
  private boolean hung;

  /** When the agent reported its result; of no meaning before. */
  private long answeredMs;

  private @Nullable End cause;
  private int introductions;

  /** How far a session's process has come. */
  public enum Phase {
    /** The agent is started, and has not named its session. */
    STARTING,
    /** The agent works. */
    RUNNING,
    /** The agent reported its result, and has not exited. */
    ANSWERED,
    /** The session's tree is being ended, or has ended. */
    ENDING
  }

  /**
   * Creates the machine of a session whose agent was started now.
   *
   * @param identified whether the agent is identified by being started
   */
  public SessionMachine(SessionLimits limits, boolean identified, long nowMs) {
    this.limits = limits;
    this.startedMs = nowMs;
    this.outputMs = nowMs;
    this.reportedMs = nowMs;
    this.phase = identified ? Phase.RUNNING : Phase.STARTING;
  }

  /** How far it has come. */
  public Phase phase() {
    return phase;
  }

  /** What is known of it. */
  public Vitals vitals() {
    return new Vitals(usage, outputMs, processes, processesPeak, memoryPeakBytes);
  }

  /** Why it ends; null while it does not end. */
  public @Nullable End cause() {
    return cause;
  }

  /** When the next clock runs out, elapsed milliseconds: the driver ticks then at the latest. */
  public long nextMs() {
    return switch (phase) {
      case STARTING -> Math.min(startedMs + limits.identify().toMillis(), wallMs());
      case RUNNING -> {
        long silence = hung ? stallMs() : outputMs + limits.hung().toMillis();
        long progress = reportedMs + PROGRESS_EVERY.toMillis();
        yield Math.min(Math.min(silence, wallMs()), progress);
      }
      case ANSWERED -> Math.min(answeredMs + limits.postResult().toMillis(), wallMs());
      case ENDING -> Long.MAX_VALUE;
    };
  }

  /**
   * The agent wrote something.
   *
   * @param progress false for a part of a line that is not read yet, because that line may only
   *     report a provider's limit
   */
  public List<Step> output(long bytes, boolean progress, long nowMs) {
    outputBytes += bytes;
    outputMs = progress ? nowMs : outputMs;
    if (outputBytes > limits.outputBytes()) {
      return end(
          End.of(
              End.Cause.OVER_LIMIT,
              OUTPUT,
              "output limit of " + (limits.outputBytes() >> 20) + " MB"));
    }
    if (phase == Phase.RUNNING && hung && progress) {
      hung = false;
      return List.of(new Step.Recovered());
    }
    return List.of();
  }

  /**
   * The agent finished a line on one of its streams.
   *
   * @param progress false if the line only reports a provider's limit
   */
  public List<Step> line(boolean standardError, boolean progress, long nowMs) {
    lines =
        standardError
            ? new Vitals.Lines(lines.out(), lines.err() + 1)
            : new Vitals.Lines(lines.out() + 1, lines.err());
    return output(0, progress, nowMs);
  }

  /** A signal was read from the agent's output. */
  public List<Step> said(AgentSignal signal, long nowMs) {
    return switch (signal) {
      case AgentSignal.Identified who -> identified(who);
      case AgentSignal.Usage usage -> used(usage);
      case AgentSignal.Waiting _, AgentSignal.Doing _ -> List.of();
      case AgentSignal.Working working -> {
        if (phase == Phase.ANSWERED) {
          running();
        }
        yield List.of();
      }
      case AgentSignal.ToolRunning tool -> {
        toolRunning = tool.running();
        yield List.of();
      }
      case AgentSignal.Result result -> answered(nowMs);
    };
  }

  private List<Step> identified(AgentSignal.Identified who) {
    if (phase == Phase.STARTING) {
      running();
    }
    // Also at the end: a program that exits immediately is gone before its first line is read, and
    // without its session's id the item's next session could not resume it.
    return ++introductions > MAX_INTRODUCTIONS ? List.of() : List.of(new Step.Identified(who));
  }

  private List<Step> used(AgentSignal.Usage now) {
    usage = now;
    // An agent that has answered and is over its budget has already spent the money: its answer is
    // kept.
    if (phase == Phase.ANSWERED) {
      return List.of();
    }
    if (above(limits.budgetMicros(), usage.costMicros())) {
      return end(overBudget(Dollars.exact(limits.budgetMicros()) + " USD"));
    }
    return above(limits.budgetTokens(), usage.tokens())
        ? end(overBudget(limits.budgetTokens() + " tokens"))
        : List.of();
  }

  private List<Step> answered(long nowMs) {
    // Also while it starts: a resumed session that the agent does not know answers without ever
    // naming its session.
    if (phase == Phase.STARTING || phase == Phase.RUNNING) {
      phase = Phase.ANSWERED;
      answeredMs = nowMs;
    }
    return List.of();
  }

  private void running() {
    phase = Phase.RUNNING;
    hung = false;
  }

  /** The tree was counted. */
  public List<Step> counted(int found, long memoryBytes, long nowMs) {
    processes = found;
    processesPeak = Math.max(processesPeak, processes);
    memoryPeakBytes = Math.max(memoryPeakBytes, memoryBytes);
    memoryAbove = above(limits.memoryBytes(), memoryBytes) ? memoryAbove + 1 : 0;
    if (phase == Phase.ENDING) {
      return List.of();
    }
    if (processes > limits.processesKill()) {
      return end(
          End.of(
              End.Cause.OVER_LIMIT,
              PROCESSES,
              processes + " processes, limit " + limits.processesKill()));
    }
    if (memoryAbove >= MEMORY_SAMPLES) {
      return end(
          End.of(
              End.Cause.OVER_LIMIT,
              MEMORY,
              "memory limit of " + (limits.memoryBytes() >> 20) + " MB"));
    }
    if (processes > limits.processesWarn() && !warned) {
      warned = true;
      reportedMs = nowMs;
      return List.of(new Step.Grown(vitals(), limits.processesWarn()));
    }
    return List.of();
  }

  /** The agent's own process ended. */
  public List<Step> exited() {
    return end(End.EXITED);
  }

  /**
   * Ends the session: one of its clocks or limits says so, its request changed, the runner shuts
   * down, or the lease cannot be shown to hold.
   */
  public List<Step> end(End why) {
    if (phase != Phase.ENDING) {
      phase = Phase.ENDING;
      cause = why;
      return List.of(new Step.Kill(why));
    }
    // The tree may still be on a gentle ladder, for which the lease does not wait; the first cause
    // stays.
    return why.atOnce() ? List.of(new Step.Kill(why)) : List.of();
  }

  /** Time has passed. */
  public List<Step> tick(long nowMs) {
    if (nowMs >= wallMs()) {
      return timedOut(Clock.WALL, limits.wallClock());
    }
    return switch (phase) {
      case STARTING ->
          nowMs >= startedMs + limits.identify().toMillis()
              ? timedOut(Clock.IDENTIFY, limits.identify())
              : List.of();
      case ANSWERED ->
          nowMs >= answeredMs + limits.postResult().toMillis()
              ? timedOut(Clock.POST_RESULT, limits.postResult())
              : List.of();
      case RUNNING -> runningTick(nowMs);
      case ENDING -> List.of();
    };
  }

  private List<Step> runningTick(long nowMs) {
    if (nowMs >= stallMs()) {
      return timedOut(Clock.STALL, toolRunning ? limits.stallInTool() : limits.stall());
    }
    var steps = new ArrayList<Step>(2);
    if (!hung && nowMs >= outputMs + limits.hung().toMillis()) {
      hung = true;
      steps.add(new Step.Hung(nowMs - outputMs, lines));
    }
    if (nowMs >= reportedMs + PROGRESS_EVERY.toMillis()) {
      reportedMs = nowMs;
      steps.add(new Step.Progress(vitals()));
    }
    return steps;
  }

  private static boolean above(long limit, long value) {
    return limit > 0 && value > limit;
  }

  private static End overBudget(String of) {
    return End.of(End.Cause.OVER_LIMIT, BUDGET, "session budget of " + of + " is spent");
  }

  private List<Step> timedOut(Clock clock, Duration limit) {
    return end(End.timedOut(clock, limit, lines));
  }

  private long wallMs() {
    return startedMs + limits.wallClock().toMillis();
  }

  private long stallMs() {
    return outputMs + (toolRunning ? limits.stallInTool() : limits.stall()).toMillis();
  }
}
