package dev.flyball.runner.agent;

import dev.flyball.contract.text.Dollars;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The agents as they answer one question, for example what triage asks about a batch: without
 * tools, without the settings of a folder or a user, with a schema for the answer. Codex and Gemini
 * have no flag that removes every tool, so they also run where there is nothing to read.
 */
public final class OneAnswer {
  /** The file in the working directory from which codex reads the schema. */
  public static final String SCHEMA_FILE = "answer-schema.json";

  private OneAnswer() {}

  /**
   * Returns the agent of a profile as it answers once, with the profile's arguments and prices.
   *
   * @param schema a JSON Schema that the answer has to match
   * @param budgetMicros most micro-dollars of the call, 0 for no limit; claude alone obeys it
   * @return empty for scout, which answers no questions
   */
  public static Optional<Agent> of(AgentProfile profile, String schema, long budgetMicros) {
    return of(profile.agent(), schema, budgetMicros)
        .map(agent -> {
          Agent extended = agent.withArguments(profile.arguments());
          return profile.prices() == null ? extended : extended.priced(profile.prices());
        });
  }

  private static Optional<Agent> of(AgentName name, String schema, long budgetMicros) {
    return switch (name) {
      case AgentName.Scout scout -> Optional.empty();
      case AgentName.Command command -> Optional.of(AgentCatalogue.command(command.program()));
      case AgentName.Claude claude -> Optional.of(claude(claude.model(), schema, budgetMicros));
      case AgentName.Codex codex -> Optional.of(codex(codex.model()));
      // Its session's flags already deny every tool that would ask.
      case AgentName.Gemini gemini -> Optional.of(AgentCatalogue.gemini(gemini.model()));
    };
  }

  /** Whether the agent gets the schema otherwise than as a part of its prompt. */
  public static boolean takesSchema(AgentName name) {
    return switch (name) {
      case AgentName.Scout scout -> false;
      case AgentName.Command command -> false;
      case AgentName.Claude claude -> true;
      case AgentName.Codex codex -> true;
      case AgentName.Gemini gemini -> false;
    };
  }

  private static Agent claude(@Nullable String model, String schema, long budgetMicros) {
    var command = new ArrayList<String>();
    command.addAll(List.of("claude", "-p", "--output-format", "stream-json", "--verbose"));
    command.addAll(List.of("--permission-mode", "dontAsk", "--tools", ""));
    command.addAll(List.of("--setting-sources", "", "--strict-mcp-config"));
    // The answer is kept in a topic. A transcript on disk would only repeat the items' texts.
    command.add("--no-session-persistence");
    command.addAll(List.of("--json-schema", schema));
    command.addAll(AgentCatalogue.model(model));
    if (budgetMicros > 0) {
      command.addAll(List.of("--max-budget-usd", Dollars.exact(budgetMicros)));
    }
    return with(AgentCatalogue.claude("claude", model, budgetMicros, List.of()), command);
  }

  private static Agent codex(@Nullable String model) {
    Agent session = AgentCatalogue.codex(model);
    var command = new ArrayList<>(session.program());
    // The answer is kept in a topic. A thread on disk would only repeat the items' texts.
    command.addAll(command.size() - 1, List.of("--ephemeral", "--output-schema", SCHEMA_FILE));
    return with(session, command);
  }

  private static Agent with(Agent session, List<String> command) {
    return new Agent(
        session.label(),
        command,
        session.env(),
        session.sets(),
        session.input(),
        session.readers(),
        session.traits());
  }
}
