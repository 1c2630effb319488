package dev.flyball.runner.agent;

import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The arguments that a profile may add to an agent's command line. Only known options are accepted,
 * so that none widens what the agent may do, none takes away what Flyball sets itself, and nothing
 * is read as the prompt, which every user of the machine could see in the list of processes.
 */
public final class AgentArguments {
  private static final Rule CLAUDE =
      new Rule(
          "claude",
          Set.of("--effort", "--fallback-model", "--max-turns", "--betas"),
          Set.of("--bare", "--exclude-dynamic-system-prompt-sections"));

  private static final Rule CODEX =
      new Rule("codex", Set.of("-c", "--config", "--local-provider"), Set.of("--oss"));

  private static final Rule GEMINI = new Rule("gemini", Set.of(), Set.of("--sandbox", "--debug"));

  /** Other keys of codex start programs, or decide what its sandbox allows. */
  private static final Pattern CODEX_KEY =
      Pattern.compile("(model_[a-z_]+(\\.[A-Za-z0-9_-]+)*|oss_provider|service_tier)=(?s:.*)");

  /** How agents name what lets them do anything. */
  private static final Pattern BYPASS =
      Pattern.compile(
          "dangerously|bypass.?(permissions|approvals)|danger-full-access|--?yolo|full-?auto",
          Pattern.CASE_INSENSITIVE);

  private AgentArguments() {}

  /**
   * Rejects arguments that this agent must not get.
   *
   * @throws IllegalArgumentException with the argument and what is accepted
   */
  public static void check(AgentName agent, List<String> arguments) {
    for (String each : arguments) {
      if (BYPASS.matcher(each).find()) {
        throw new IllegalArgumentException(
            "args '" + each + "' bypasses permissions, which Flyball never does; remove it");
      }
    }
    switch (agent) {
      case AgentName.Scout scout -> {
        if (!arguments.isEmpty()) {
          throw new IllegalArgumentException("args: scout takes no arguments; remove them");
        }
      }
      // The operator's own program: only its author knows its options.
      case AgentName.Command command -> {}
      case AgentName.Claude claude -> CLAUDE.check(arguments);
      case AgentName.Codex codex -> CODEX.check(arguments);
      case AgentName.Gemini gemini -> GEMINI.check(arguments);
    }
  }

  /**
   * The options of one agent.
   *
   * @param valued options that a value follows, as the next argument or after an equals sign
   * @param plain options without a value
   */
  private record Rule(String agent, Set<String> valued, Set<String> plain) {

    void check(List<String> arguments) {
      for (int i = 0; i < arguments.size(); i++) {
        String argument = arguments.get(i);
        int equals = argument.indexOf('=');
        String option = equals < 0 ? argument : argument.substring(0, equals);
        if (plain.contains(argument)) {
          continue;
        }
        if (!valued.contains(option)) {
          throw new IllegalArgumentException(
              "args '" + argument + "' is not accepted for " + agent + "; it may have " + known());
        }
        String value;
        if (equals >= 0) {
          value = argument.substring(equals + 1);
        } else if (i + 1 < arguments.size()) {
          value = arguments.get(++i);
        } else {
          throw new IllegalArgumentException("args: a value must follow '" + option + "'");
        }
        value(option, value);
      }
    }

    private static void value(String option, String value) {
      boolean setting = option.equals("-c") || option.equals("--config");
      if (setting && !CODEX_KEY.matcher(value).matches()) {
        throw new IllegalArgumentException(
            "args '"
                + option
                + " "
                + value
                + "' is not accepted; it may set keys that begin with model_, oss_provider and"
                + " service_tier, written as key=value");
      }
      if (value.startsWith("-")) {
        throw new IllegalArgumentException("args: a value must follow '" + option + "'");
      }
    }

    private String known() {
      return String.join(", ", valued.stream().sorted().toList())
          + (valued.isEmpty() || plain.isEmpty() ? "" : ", ")
          + String.join(", ", plain.stream().sorted().toList());
    }
  }
}
