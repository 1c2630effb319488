package dev.flyball.program.config;

import dev.flyball.runner.agent.AgentName;
import java.time.Duration;

/** What judges batches of changed items, as configured ({@code triage.classifier}). */
public sealed interface ConfiguredClassifier {

  /** Whether a call may cost money. */
  default boolean paid() {
    return switch (this) {
      case Rules rules -> false;
      case ByAgent by -> by.agent().paid();
    };
  }

  /** The bundled rules. */
  record Rules() implements ConfiguredClassifier {}

  /**
   * An agent program without tools.
   *
   * @param agent the program with its model; never scout
   * @param limit the longest that a call may take
   * @param budgetMicros most micro-dollars of one call, 0 for no limit
   */
  record ByAgent(AgentName agent, Duration limit, long budgetMicros)
      implements ConfiguredClassifier {
    public ByAgent {
      if (agent instanceof AgentName.Scout) {
        throw new IllegalArgumentException(
            "triage.classifier agent needs an agent that asks a model, and scout asks none; set"
                + " triage.agent, or triage.classifier to rules");
      }
      if (!limit.isPositive()) {
        throw new IllegalArgumentException("triage.timeout " + limit + " must be above 0");
      }
    }
  }

  /**
   * The classifier of a configuration: as configured, else the program of the sessions with its
   * cheapest model where they cost money, else the rules.
   *
   * @param sessions the agent of requests that no route sends elsewhere
   * @param paid whether its sessions cost money
   */
  static ConfiguredClassifier of(Configuration configuration, AgentName sessions, boolean paid) {
    boolean asked =
        configuration.find(Keys.CLASSIFIER).map(name -> name.equals("agent")).orElse(paid);
    if (!asked) {
      return new Rules();
    }
    AgentName agent =
        configuration
            .find(Keys.TRIAGE_AGENT)
            .map(name -> AgentEntries.agent(name, configuration.base(Keys.TRIAGE_AGENT)))
            .orElse(sessions);
    return new ByAgent(
        agent.withModel(configuration.find(Keys.TRIAGE_MODEL).orElse(agent.triageModel())),
        configuration.get(Keys.TRIAGE_TIMEOUT),
        configuration.get(Keys.TRIAGE_BUDGET));
  }
}
