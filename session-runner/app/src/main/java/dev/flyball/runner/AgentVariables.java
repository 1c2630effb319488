package dev.flyball.runner;

import dev.flyball.runner.agent.Agent;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Selects the environment variables of this process that agents inherit. It is an allow-list,
 * because the rest may hold secrets.
 *
 * <p>It also collects the values that must never appear in an agent's output.
 */
public final class AgentVariables {
  private static final Set<String> ALWAYS =
      Set.of("PATH", "HOME", "USER", "LANG", "TZ", "TMPDIR", "TRACEPARENT");

  /**
   * Variables that adapters inherit and that hold an address or a path. Redacting their values
   * would only make an answer unreadable.
   */
  private static final Set<String> PLAIN =
      Set.of(
          "ANTHROPIC_BASE_URL",
          "OPENAI_BASE_URL",
          "CLAUDE_CONFIG_DIR",
          "CODEX_HOME",
          "GOOGLE_APPLICATION_CREDENTIALS",
          "GOOGLE_CLOUD_LOCATION",
          "GOOGLE_GENAI_USE_VERTEXAI",
          "NODE_EXTRA_CA_CERTS",
          "NO_PROXY",
          "SSL_CERT_FILE",
          "no_proxy");

  private AgentVariables() {}

  /** Returns an agent's environment: what its adapter sets, overridden by what is allowed. */
  public static Map<String, String> of(
      Map<String, String> all, Agent adapter, Collection<String> further) {
    var allowed = new TreeMap<>(adapter.sets());
    all.forEach((name, value) -> {
      if (ALWAYS.contains(name)
          || name.startsWith("LC_")
          || adapter.env().contains(name)
          || further.contains(name)) {
        allowed.put(name, value);
      }
    });
    return allowed;
  }

  /**
   * Returns the values that the agent inherits and all other values that are named like a secret.
   */
  public static List<String> secrets(
      Map<String, String> all, Agent adapter, Collection<String> further) {
    return all.entrySet().stream()
        .filter(each -> secret(each.getKey(), adapter, further))
        .map(Map.Entry::getValue)
        .toList();
  }

  private static boolean secret(String name, Agent adapter, Collection<String> further) {
    return further.contains(name)
        || (adapter.env().contains(name) && !PLAIN.contains(name))
        || name.matches(".*(TOKEN|SECRET|PASSWORD|API_KEY).*");
  }
}
