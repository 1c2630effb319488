package dev.flyball.runner.session;

import dev.flyball.runner.agent.AgentSignal;

/**
 * What is known of a live session. Times are elapsed milliseconds of the driver's clock.
 *
 * @param startedMs when the agent was started
 * @param outputMs when it last wrote something that counts as progress
 * @param reportedMs when progress was last said
 * @param outputBytes all that it wrote
 * @param toolRunning whether a tool of it runs
 * @param rateLimited whether its provider refused for now
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
    boolean toolRunning,
    boolean rateLimited,
    boolean warned) {

  static Vitals at(long startedMs) {
    return new Vitals(
        startedMs, startedMs, startedMs, 0, AgentSignal.Usage.NONE, 1, 1, 0, false, false, false);
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
        toolRunning,
        rateLimited,
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
        toolRunning,
        rateLimited,
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
        running,
        rateLimited,
        warned);
  }

  Vitals limited(boolean rejected) {
    return new Vitals(
        startedMs,
        outputMs,
        reportedMs,
        outputBytes,
        usage,
        processes,
        processesPeak,
        memoryPeakBytes,
        toolRunning,
        rejected,
        warned);
  }

  Vitals counted(int now, long memoryBytes) {
    return new Vitals(
        startedMs,
        outputMs,
        reportedMs,
        outputBytes,
        usage,
        now,
        Math.max(processesPeak, now),
        Math.max(memoryPeakBytes, memoryBytes),
        toolRunning,
        rateLimited,
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
        toolRunning,
        rateLimited,
        warned || warning);
  }
}
