package dev.flyball.runner.agent;

import dev.flyball.runner.agent.AgentProgram.Setup;
import java.util.List;

/**
 * A model agent's way to speak, with runs in its own shapes: {@code good}, {@code error} and {@code
 * limited}. Every good run says the same in its dialect.
 *
 * @param costMicros what its good run says that it cost
 * @param model what its good run says that answered, null if it cannot say
 */
record Dialect(Agent adapter, String unknown, long costMicros, String model) {
  static final List<Dialect> ALL =
      List.of(
          new Dialect(
              new Claude("opus").session(Setup.DEFAULT),
              "{\"type\":\"system\",\"subtype\":\"compact_progress\",\"percent\":7}",
              12_346,
              "claude-opus-5-5"),
          new Dialect(
              new Codex("gpt-x").session(Setup.DEFAULT),
              "{\"type\":\"item.plan.delta\",\"item\":{\"type\":\"hologram\"}}",
              0,
              "gpt-x"),
          new Dialect(
              new Gemini(null).session(Setup.DEFAULT),
              "{\"type\":\"thought\",\"content\":{}}",
              0,
              "gemini-3-pro"),
          new Dialect(
              new Qwen("some-model").session(Setup.DEFAULT),
              "{\"type\":\"stream_event\",\"event\":{}}",
              0,
              "some-model"));

  /** The lines of a run. */
  List<String> run(String name) {
    return PlayedAgent.lines(adapter.label() + "/" + name + ".jsonl");
  }

  @Override
  public String toString() {
    return adapter.label();
  }
}
