package dev.flyball.runner.agent;

import org.jspecify.annotations.Nullable;

/**
 * The small vocabulary that every agent's output is turned into. Its texts and figures are bounded
 * by construction.
 */
public sealed interface AgentSignal {

  /**
   * The agent named its session or model.
   *
   * @param agentSession the agent's own session id
   */
  record Identified(@Nullable String agentSession, @Nullable String model) implements AgentSignal {
    public Identified {
      agentSession = AgentLine.name(agentSession);
      model = AgentLine.name(model);
    }
  }

  /** What the session has used so far: totals, not differences. */
  record Usage(long inputTokens, long outputTokens, long cachedTokens, long costMicros)
      implements AgentSignal {
    /** Nothing yet. */
    public static final Usage NONE = new Usage(0, 0, 0, 0);

    /** The largest figure that the ledger accepts; a larger one is nonsense. */
    private static final long MOST = 1_000_000_000_000_000L;

    public Usage {
      inputTokens = Math.clamp(inputTokens, 0, MOST);
      outputTokens = Math.clamp(outputTokens, 0, MOST);
      cachedTokens = Math.clamp(cachedTokens, 0, MOST);
      costMicros = Math.clamp(costMicros, 0, MOST);
    }

    /** The same tokens at another cost. */
    public Usage costing(long micros) {
      return new Usage(inputTokens, outputTokens, cachedTokens, micros);
    }

    /** All tokens, as the ledger adds them up. */
    public long tokens() {
      return Math.min(MOST, inputTokens + outputTokens + cachedTokens);
    }
  }

  /**
   * The provider slows the agent down. It shows that the agent's client is alive, not that it makes
   * progress.
   *
   * @param rejected whether the provider rejected a call for now, so that a failure afterwards is
   *     not the agent's
   * @param until when the provider will answer again, in seconds since 1970; 0 if it named no time
   */
  record RateLimited(boolean rejected, String detail, long until) implements AgentSignal {
    public RateLimited {
      detail = AgentLine.of(detail);
    }

    /** A limit without an end time. */
    public RateLimited(boolean rejected, String detail) {
      this(rejected, detail, 0);
    }
  }

  /**
   * The account at the provider has no money or quota left. Waiting does not help: a person has to
   * act.
   */
  record AccountExhausted(String detail) implements AgentSignal {}

  /** A tool of the agent began or ended. While one runs, silence is a weaker sign of a stall. */
  record ToolRunning(boolean running) implements AgentSignal {}

  /** The agent reported that it is done; it may still take time to exit. */
  record Result(AgentAnswer answer) implements AgentSignal {}
}
