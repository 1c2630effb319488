package dev.flyball.runner.session;

import dev.flyball.runner.agent.AgentSignal;

/**
 * What is known of a live session. Times are elapsed milliseconds of the driver's clock.
 *
 * @param startedMs when the agent was started
 * @param outputMs when the agent last wrote something that shows progress
 * @param reportedMs when progress was last reported
 * @param outputBytes bytes that the agent has written
 * @param memoryAbove samples in a row that were above the memory limit
 * @param toolRunning whether one of the agent's tools runs
 * @param limitedUntil when its provider, which rejects calls for now, answers again, in seconds
 *     since 1970; 0 if unknown, {@link #NOT_LIMITED} if it rejects nothing, {@link #UNTIL_RESUMED}
 *     if no waiting helps
 * @param warned whether the size of its tree was reported
 */
public record Vitals(
    long startedMs,
    long outputMs,
    long reportedMs,
    long outputBytes,
    AgentSignal.Usage usage,
    int processes,
    int processesPeak,
    long memoryPeakBytes,
    int memoryAbove,
    boolean toolRunning,
    long limitedUntil,
    boolean warned) {
  /** The provider rejects nothing, or answers again. */
  public static final long NOT_LIMITED = -1;

  /** The provider's account is empty: it answers again once an operator has acted. */
  public static final long UNTIL_RESUMED = Long.MAX_VALUE;

  /** Whether the provider rejects calls, for now or until an operator acts. */
  public boolean refused() {
    return limitedUntil != NOT_LIMITED;
  }

  /** Whether the provider's account is empty. */
  public boolean accountExhausted() {
    return limitedUntil == UNTIL_RESUMED;
  }

  static Vitals at(long startedMs) {
    return new Vitals(
        startedMs,
        startedMs,
        startedMs,
        0,
        AgentSignal.Usage.NONE,
        1,
        1,
        0,
        0,
        false,
        NOT_LIMITED,
        false);
  }

  Vitals wrote(long bytes, boolean progress, long nowMs) {
    return new Vitals(
        startedMs,
        progress ? nowMs : outputMs,
        reportedMs,
        outputBytes + bytes,
        usage,
        processes,
        processesPeak,
        memoryPeakBytes,
        memoryAbove,
        toolRunning,
        limitedUntil,
        warned);
  }

  Vitals used(AgentSignal.Usage now) {
    return new Vitals(
        startedMs,
        outputMs,
        reportedMs,
        outputBytes,
        now,
        processes,
        processesPeak,
        memoryPeakBytes,
        memoryAbove,
        toolRunning,
        limitedUntil,
        warned);
  }

  Vitals tool(boolean running) {
    return new Vitals(
        startedMs,
        outputMs,
        reportedMs,
        outputBytes,
        usage,
        processes,
        processesPeak,
        memoryPeakBytes,
        memoryAbove,
        running,
        limitedUntil,
        warned);
  }

  Vitals limited(boolean rejected, long until) {
    return new Vitals(
        startedMs,
        outputMs,
        reportedMs,
        outputBytes,
        usage,
        processes,
        processesPeak,
        memoryPeakBytes,
        memoryAbove,
        toolRunning,
        rejected ? Math.max(until, limitedUntil) : NOT_LIMITED,
        warned);
  }

  Vitals counted(int now, long memoryBytes, boolean above) {
    return new Vitals(
        startedMs,
        outputMs,
        reportedMs,
        outputBytes,
        usage,
        now,
        Math.max(processesPeak, now),
        Math.max(memoryPeakBytes, memoryBytes),
        above ? memoryAbove + 1 : 0,
        toolRunning,
        limitedUntil,
        warned);
  }

  Vitals reported(long nowMs, boolean warning) {
    return new Vitals(
        startedMs,
        outputMs,
        nowMs,
        outputBytes,
        usage,
        processes,
        processesPeak,
        memoryPeakBytes,
        memoryAbove,
        toolRunning,
        limitedUntil,
        warned || warning);
  }
}
