package dev.flyball.runner;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Which of this process's environment variables agents get: an allow-list, because the rest may
 * hold secrets.
 */
final class AgentVariables {
  private static final Set<String> ALWAYS =
      Set.of("PATH", "HOME", "USER", "LANG", "TZ", "TMPDIR", "TRACEPARENT");

  private AgentVariables() {}

  /** The allowed ones of {@code all}. */
  static Map<String, String> of(Map<String, String> all, Collection<String> further) {
    var allowed = new TreeMap<String, String>();
    all.forEach((name, value) -> {
      if (ALWAYS.contains(name) || name.startsWith("LC_") || further.contains(name)) {
        allowed.put(name, value);
      }
    });
    return allowed;
  }
}
