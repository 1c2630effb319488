package dev.flyball.runner.session;

import dev.flyball.runner.agent.AgentSignal;

/**
 * What is known of a live session. Times are elapsed milliseconds of the driver's clock.
 *
 * @param startedMs when the agent was started
 * @param outputMs when the agent last wrote something that shows progress
 * @param reportedMs when progress was last reported
 * @param outputBytes bytes that the agent has written
 * @param toolRunning whether one of the agent's tools runs
 * @param limitedUntil when its provider, which rejects calls for now, answers again, in seconds
 *     since 1970; 0 if unknown, {@link #NOT_LIMITED} if it rejects nothing, {@link #UNTIL_RESUMED}
 *     if no waiting helps
 * @param lines how many lines it has written
 */
public record Vitals(
    long startedMs,
    long outputMs,
    long reportedMs,
    long outputBytes,
    AgentSignal.Usage usage,
    TreeSize tree,
    boolean toolRunning,
    long limitedUntil,
    Lines lines) {
  /** The provider rejects nothing, or answers again. */
  public static final long NOT_LIMITED = -1;

  /** The provider's account is empty: it answers again once an operator has acted. */
  public static final long UNTIL_RESUMED = Long.MAX_VALUE;

  /**
   * The size of a session's process tree.
   *
   * @param memoryAbove samples in a row that were above the memory limit
   * @param warned whether it was reported as large
   */
  public record TreeSize(
      int processes, int processesPeak, long memoryPeakBytes, int memoryAbove, boolean warned) {
    private static final TreeSize ONE = new TreeSize(1, 1, 0, 0, false);

    private TreeSize counted(int now, long memoryBytes, boolean above) {
      return new TreeSize(
          now,
          Math.max(processesPeak, now),
          Math.max(memoryPeakBytes, memoryBytes),
          above ? memoryAbove + 1 : 0,
          warned);
    }

    private TreeSize warning() {
      return new TreeSize(processes, processesPeak, memoryPeakBytes, memoryAbove, true);
    }
  }

  /** The lines that an agent has written, by stream. */
  public record Lines(long out, long err) {
    static final Lines NONE = new Lines(0, 0);

    /** For a person who asks why an agent is called silent. */
    public String text() {
      return out + err == 0
          ? "it has written no line"
          : "it has written " + out + " lines to standard output, " + err + " to standard error";
    }

    private Lines plus(boolean standardError) {
      return standardError ? new Lines(out, err + 1) : new Lines(out + 1, err);
    }
  }

  /** Whether the provider rejects calls, for now or until an operator acts. */
  public boolean refused() {
    return limitedUntil != NOT_LIMITED;
  }

  /** Whether the provider's account is empty. */
  public boolean accountExhausted() {
    return limitedUntil == UNTIL_RESUMED;
  }

  static Vitals at(long now) {
    return new Vitals(
        now, now, now, 0, AgentSignal.Usage.NONE, TreeSize.ONE, false, NOT_LIMITED, Lines.NONE);
  }

  Vitals wrote(long bytes, boolean progress, long nowMs) {
    long at = progress ? nowMs : outputMs;
    return new Vitals(
        startedMs,
        at,
        reportedMs,
        outputBytes + bytes,
        usage,
        tree,
        toolRunning,
        limitedUntil,
        lines);
  }

  Vitals line(boolean standardError) {
    return new Vitals(
        startedMs,
        outputMs,
        reportedMs,
        outputBytes,
        usage,
        tree,
        toolRunning,
        limitedUntil,
        lines.plus(standardError));
  }

  Vitals used(AgentSignal.Usage now) {
    return new Vitals(
        startedMs, outputMs, reportedMs, outputBytes, now, tree, toolRunning, limitedUntil, lines);
  }

  Vitals tool(boolean running) {
    return new Vitals(
        startedMs, outputMs, reportedMs, outputBytes, usage, tree, running, limitedUntil, lines);
  }

  Vitals limited(boolean rejected, long until) {
    long end = rejected ? Math.max(until, limitedUntil) : NOT_LIMITED;
    return new Vitals(
        startedMs, outputMs, reportedMs, outputBytes, usage, tree, toolRunning, end, lines);
  }

  Vitals counted(int now, long memoryBytes, boolean above) {
    return with(tree.counted(now, memoryBytes, above), reportedMs);
  }

  Vitals reported(long nowMs, boolean warning) {
    return with(warning ? tree.warning() : tree, nowMs);
  }

  private Vitals with(TreeSize size, long reported) {
    return new Vitals(
        startedMs, outputMs, reported, outputBytes, usage, size, toolRunning, limitedUntil, lines);
  }
}
