package dev.flyball.runner.session;

import java.time.Duration;

/**
 * Clocks and bounds of one session ({@code sessions.*}).
 *
 * @param identify from the start until the agent has named its session
 * @param hung silence from which a session is reported as hung; not killed
 * @param stall silence after which it is killed
 * @param stallInTool the same while a tool runs; matters only where the wall clock is longer
 * @param wallClock longest run
 * @param grace from TERM to KILL
 * @param postResult from the result to the agent's exit
 * @param processesWarn tree size from which a warning is reported
 * @param processesKill tree size that ends the session
 * @param memoryBytes resident memory of the whole tree, shared pages counted for each process. The
 *     session ends once two samples in a row are above it, its partial answer kept; 0 for no limit
 * @param outputBytes output after which the session ends, its partial answer kept
 * @param budgetMicros micro-dollars after which it ends, its partial answer kept; 0 for no limit
 * @param budgetTokens the same in tokens of every kind, because many agents report a call's tokens
 *     long before its cost, or never report the cost
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
    long memoryBytes,
    long outputBytes,
    long budgetMicros,
    long budgetTokens) {
  /** The defaults. A healthy agent was seen silent for 405 s, so a stall is longer than that. */
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
          4L << 30,
          64L << 20,
          500_000,
          5_000_000);

  /** A longer line is cut and marked; long strings of a line of JSON are shortened before that. */
  public static final int MAX_LINE_BYTES = 2 << 20;

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
    notNegative("sessions.memory", memoryBytes);
    notNegative("sessions.budget.usd", budgetMicros);
    notNegative("sessions.budget.tokens", budgetTokens);
  }

  private static void notNegative(String key, long value) {
    if (value < 0) {
      throw new IllegalArgumentException(key + " " + value + " must not be negative");
    }
  }

  private static void positive(String key, Duration value) {
    if (value.isZero() || value.isNegative()) {
      throw new IllegalArgumentException(key + " " + value + " must be above 0");
    }
  }
}
