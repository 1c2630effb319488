package dev.flyball.runner.agent;

import java.util.HashSet;
import java.util.Set;

/** Which tool calls of an agent run: it may start several at once, and silence means less then. */
final class OpenTools {
  private static final int MOST = 1000;

  private final Set<String> open = new HashSet<>();

  AgentSignal begin(String id) {
    if (open.size() < MOST) {
      open.add(OneLine.of(id));
    }
    return new AgentSignal.ToolRunning(true);
  }

  AgentSignal end(String id) {
    open.remove(OneLine.of(id));
    return new AgentSignal.ToolRunning(!open.isEmpty());
  }
}
