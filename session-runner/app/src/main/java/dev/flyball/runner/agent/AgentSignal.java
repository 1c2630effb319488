package dev.flyball.runner.agent;

import dev.flyball.contract.session.TokenCount;
import dev.flyball.contract.text.OneLine;
import org.jspecify.annotations.Nullable;

/**
 * The small vocabulary that every agent's output is turned into. Its texts and figures are bounded
 * by construction.
 */
public sealed interface AgentSignal {
  /** Longer than any secret and what is shown: it is redacted before it is cut to that. */
  int LONGEST_DOING = 16 * 1024;

  /**
   * The agent named its session or model.
   *
   * @param agentSession the agent's own session id
   */
  record Identified(@Nullable String agentSession, @Nullable String model) implements AgentSignal {
    public Identified {
      agentSession = Transcript.name(agentSession);
      model = Transcript.name(model);
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

    /** These tokens at a cost. */
    static Usage of(TokenCount used, long costMicros) {
      return new Usage(used.input(), used.output(), used.cached(), costMicros);
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

  /** The agent waits for its provider or a network: its client lives, without progress. */
  record Waiting() implements AgentSignal {}

  /** A tool of the agent began or ended. While one runs, silence is a weaker sign of a stall. */
  record ToolRunning(boolean running) implements AgentSignal {}

  /** What the agent does now, for example {@code Read src/Ledger.java}; not redacted. */
  record Doing(String what) implements AgentSignal {
    public Doing {
      what = OneLine.of(OneLine.start(what, LONGEST_DOING));
    }
  }

  /** The agent works on after its result, which stays its answer until it has another one. */
  record Working() implements AgentSignal {}

  /** The agent reported that it is done; it may still take time to exit. */
  record Result(AgentAnswer answer) implements AgentSignal {}
}
