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
    Lines lines) {
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

  static Vitals at(long now) {
    return new Vitals(now, now, now, 0, AgentSignal.Usage.NONE, TreeSize.ONE, false, Lines.NONE);
  }

  Vitals wrote(long bytes, boolean progress, long nowMs) {
    long at = progress ? nowMs : outputMs;
    return new Vitals(
        startedMs, at, reportedMs, outputBytes + bytes, usage, tree, toolRunning, lines);
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
        lines.plus(standardError));
  }

  Vitals used(AgentSignal.Usage now) {
    return new Vitals(startedMs, outputMs, reportedMs, outputBytes, now, tree, toolRunning, lines);
  }

  Vitals tool(boolean running) {
    return new Vitals(startedMs, outputMs, reportedMs, outputBytes, usage, tree, running, lines);
  }

  Vitals counted(int now, long memoryBytes, boolean above) {
    return with(tree.counted(now, memoryBytes, above), reportedMs);
  }

  Vitals reported(long nowMs, boolean warning) {
    return with(warning ? tree.warning() : tree, nowMs);
  }

  private Vitals with(TreeSize size, long reported) {
    return new Vitals(startedMs, outputMs, reported, outputBytes, usage, size, toolRunning, lines);
  }
}
