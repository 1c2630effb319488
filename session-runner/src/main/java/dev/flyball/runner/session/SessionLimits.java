package dev.flyball.runner.session;

import java.time.Duration;

/**
 * Clocks and bounds of one session ({@code sessions.*}).
 *
 * @param identify from the start until the agent said who it is
 * @param hung silence from which a session is reported as hung; not killed
 * @param stall silence after which it is killed
 * @param stallInTool the same while a tool runs; matters only where the wall clock is raised above
 *     it
 * @param wallClock longest life
 * @param grace TERM to KILL
 * @param postResult from the result to the agent's exit
 * @param processesWarn tree size that is reported
 * @param processesKill tree size that ends the session
 * @param outputBytes output after which the session ends, its partial answer kept
 */
public record SessionLimits(
    Duration identify,
    Duration hung,
    Duration stall,
    Duration stallInTool,
    Duration wallClock,
    Duration grace,
    Duration postResult,
    int processesWarn,
    int processesKill,
    long outputBytes) {
  /**
   * What is used unless configured. A healthy agent was seen silent for 405 s, so a stall is longer
   * than that.
   */
  public static final SessionLimits DEFAULT =
      new SessionLimits(
          Duration.ofSeconds(10),
          Duration.ofSeconds(120),
          Duration.ofSeconds(480),
          Duration.ofSeconds(900),
          Duration.ofMinutes(10),
          Duration.ofSeconds(5),
          Duration.ofSeconds(60),
          64,
          256,
          64L << 20);

  /** A longer line is cut and marked. */
  public static final int MAX_LINE_BYTES = 10 << 20;

  public SessionLimits {
    positive("sessions.identify", identify);
    positive("sessions.hung", hung);
    positive("sessions.stall", stall);
    positive("sessions.stall-in-tool", stallInTool);
    positive("sessions.wall-clock", wallClock);
    positive("sessions.grace", grace);
    positive("sessions.post-result", postResult);
    if (stall.compareTo(hung) < 0) {
      throw new IllegalArgumentException(
          "sessions.stall " + stall + " must not be shorter than sessions.hung " + hung);
    }
    if (stallInTool.compareTo(stall) < 0) {
      throw new IllegalArgumentException(
          "sessions.stall-in-tool "
              + stallInTool
              + " must not be shorter than sessions.stall "
              + stall);
    }
    if (processesWarn < 1 || processesKill < processesWarn) {
      throw new IllegalArgumentException(
          "sessions.processes.warn "
              + processesWarn
              + " and .kill "
              + processesKill
              + " must be 1 or more, ascending");
    }
    if (outputBytes < 1024) {
      throw new IllegalArgumentException(
          "sessions.output " + outputBytes + " must be at least 1024 bytes");
    }
  }

  /** These limits with another wall clock. */
  public SessionLimits withWallClock(Duration other) {
    return new SessionLimits(
        identify,
        hung,
        stall,
        stallInTool,
        other,
        grace,
        postResult,
        processesWarn,
        processesKill,
        outputBytes);
  }

  private static void positive(String key, Duration value) {
    if (value.isZero() || value.isNegative()) {
      throw new IllegalArgumentException(key + " " + value + " must be above 0");
    }
  }
}
