package dev.flyball.containment;

import java.util.HashMap;
import java.util.Map;

/**
 * The variables that every agent gets, whatever its allow-list names. Git starts ssh and credential
 * helpers even for local commands, and a prompt on a missing terminal hangs for ever.
 */
final class AgentEnvironment {
  private static final Map<String, String> FIXED =
      Map.ofEntries(
          Map.entry("CI", "1"),
          Map.entry("TERM", "dumb"),
          Map.entry("NO_COLOR", "1"),
          Map.entry("GIT_TERMINAL_PROMPT", "0"),
          Map.entry("GIT_ASKPASS", "/bin/false"),
          Map.entry("SSH_ASKPASS", "/bin/false"),
          Map.entry("SSH_ASKPASS_REQUIRE", "never"),
          Map.entry("GCM_INTERACTIVE", "never"),
          Map.entry("GIT_SSH_COMMAND", "ssh -oBatchMode=yes -oConnectTimeout=10"),
          Map.entry("GIT_CONFIG_COUNT", "1"),
          Map.entry("GIT_CONFIG_KEY_0", "credential.helper"),
          Map.entry("GIT_CONFIG_VALUE_0", ""));

  private AgentEnvironment() {}

  /** The whole environment of a session's processes. */
  static Map<String, String> of(Launch launch) {
    var whole = new HashMap<String, String>(launch.environment());
    whole.putAll(FIXED);
    whole.put(Cookie.NAME, launch.session());
    // An agent that finds it assumes that another agent started it, and does not run.
    whole.remove("CLAUDECODE");
    return whole;
  }
}
