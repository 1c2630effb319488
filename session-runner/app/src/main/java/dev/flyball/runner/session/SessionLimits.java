package dev.flyball.runner.session;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.contract.text.TimeSpan;
import dev.flyball.runner.agent.AgentProfile;
import java.time.Duration;

/** Clocks and bounds of one session ({@code sessions.*}). */
public record SessionLimits(
    @ConfigKey(
            name = "sessions.identify",
            meaning = "Time in which an agent must report its session id, else it is ended")
        Duration identify,
    @ConfigKey(name = "sessions.hung", meaning = "Silence from which a session is reported as hung")
        Duration hung,
    @ConfigKey(name = "sessions.stall", meaning = "Silence after which it is killed")
        Duration stall,
    @ConfigKey(
            name = "sessions.stall-in-tool",
            meaning =
                "The same while the agent runs a tool; matters where sessions.wall-clock is longer")
        Duration stallInTool,
    @ConfigKey(name = "sessions.wall-clock", meaning = "Longest life of a session")
        Duration wallClock,
    @ConfigKey(name = "sessions.grace", meaning = "Time between the signals TERM and KILL")
        Duration grace,
    @ConfigKey(name = "sessions.post-result", meaning = "From an agent's result to its exit")
        Duration postResult,
    @ConfigKey(
            name = "sessions.processes.warn",
            from = 1,
            to = 100_000,
            meaning = "Processes of a session from which it is reported")
        int processesWarn,
    @ConfigKey(
            name = "sessions.processes.kill",
            from = 1,
            to = 100_000,
            meaning = "Processes of a session that end it")
        int processesKill,
    @ConfigKey(
            name = "sessions.memory",
            unit = ConfigKey.Unit.BYTES,
            meaning =
                "Resident memory of a session's whole tree that ends it if two samples"
                    + " (one a second) in a row are above, its partial answer kept. 0 for no"
                    + " limit. Unset in a container: its memory limit less 1 GiB, divided by"
                    + " sessions.slots, if that is less")
        long memoryBytes,
    @ConfigKey(
            name = "sessions.output",
            unit = ConfigKey.Unit.BYTES,
            meaning = "Output after which a session ends, its partial answer kept")
        long outputBytes,
    @ConfigKey(
            name = "sessions.budget.usd",
            unit = ConfigKey.Unit.MICRO_DOLLARS,
            meaning =
                "Most that a session may spend: above it ends, its partial answer kept. For an"
                    + " agent that costs money also reserved from the budgets while it runs, and"
                    + " booked if it does not say what it cost. 0 for no limit")
        long budgetMicros,
    @ConfigKey(
            name = "sessions.budget.tokens",
            to = 1_000_000_000_000L,
            meaning =
                "Most tokens of every kind, cached ones included, that a session may use: above it"
                    + " ends, its partial answer kept. Bounds agents that say no cost, or only at"
                    + " their end. 0 for no limit")
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

  public SessionLimits {
    positive("sessions.identify", identify);
    positive("sessions.hung", hung);
    positive("sessions.wall-clock", wallClock);
    positive("sessions.grace", grace);
    positive("sessions.post-result", postResult);
    if (stall.compareTo(hung) < 0) {
      throw new IllegalArgumentException(
          "sessions.stall "
              + TimeSpan.exact(stall)
              + " must not be shorter than sessions.hung "
              + TimeSpan.exact(hung));
    }
    if (stallInTool.compareTo(stall) < 0) {
      throw new IllegalArgumentException(
          "sessions.stall-in-tool "
              + TimeSpan.exact(stallInTool)
              + " must not be shorter than sessions.stall "
              + TimeSpan.exact(stall));
    }
    if (processesKill < processesWarn) {
      throw new IllegalArgumentException(
          "sessions.processes.warn " + processesWarn + " must not be above .kill " + processesKill);
    }
    if (outputBytes < 1024) {
      throw new IllegalArgumentException(
          "sessions.output " + outputBytes + " must be at least 1024 bytes");
    }
  }

  /** What a runner itself needs of its container's memory. */
  private static final long RUNNER_BYTES = 1L << 30;

  /** An agent with less could not even start. */
  private static final long LEAST_BYTES = 256L << 20;

  /**
   * The default of {@code sessions.memory}: at most what a container has for each of its slots. The
   * kernel ends a whole container that uses more, the runner and all sessions together.
   *
   * @param container the container's limit in bytes; {@code Long.MAX_VALUE} where there is none
   */
  public static long memoryIn(long container, int slots) {
    return container == Long.MAX_VALUE
        ? DEFAULT.memoryBytes
        : Math.clamp((container - RUNNER_BYTES) / slots, LEAST_BYTES, DEFAULT.memoryBytes);
  }

  /** The memory that a container needs for so many sessions, in bytes; 0 where unlimited. */
  public long containerBytes(int slots) {
    return memoryBytes == 0 ? 0 : memoryBytes * slots + RUNNER_BYTES;
  }

  /** These limits with another one for memory. */
  public SessionLimits withMemory(long bytes) {
    return with(wallClock, bytes, budgetMicros, budgetTokens);
  }

  /** These limits with what a profile bounds itself. */
  public SessionLimits with(AgentProfile.Bounds own) {
    return with(
        own.wallClock() == null ? wallClock : own.wallClock(),
        memoryBytes,
        own.budgetMicros() == null ? budgetMicros : own.budgetMicros(),
        own.budgetTokens() == null ? budgetTokens : own.budgetTokens());
  }

  private SessionLimits with(Duration wall, long memory, long micros, long tokens) {
    return new SessionLimits(
        identify,
        hung,
        stall,
        stallInTool,
        wall,
        grace,
        postResult,
        processesWarn,
        processesKill,
        memory,
        outputBytes,
        micros,
        tokens);
  }

  private static void positive(String key, Duration value) {
    if (!value.isPositive()) {
      throw new IllegalArgumentException(key + " " + TimeSpan.exact(value) + " must be above 0");
    }
  }
}
