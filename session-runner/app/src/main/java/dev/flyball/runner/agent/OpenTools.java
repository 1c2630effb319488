package dev.flyball.runner.agent;

import java.util.HashSet;
import java.util.Set;

/**
 * Tracks which tool calls of an agent run. It may start several together, and silence is a weaker
 * sign of a stall while one runs.
 */
final class OpenTools {
  private static final int MOST = 1000;

  private final Set<String> open = new HashSet<>();

  AgentSignal begin(String id) {
    if (open.size() < MOST) {
      open.add(AgentLine.of(id));
    }
    return new AgentSignal.ToolRunning(true);
  }

  AgentSignal end(String id) {
    open.remove(AgentLine.of(id));
    return new AgentSignal.ToolRunning(!open.isEmpty());
  }
}
