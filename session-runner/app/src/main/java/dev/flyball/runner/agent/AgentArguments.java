package dev.flyball.runner.agent;

import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The arguments that a profile may add to an agent's command line. Only known options are accepted,
 * so that none widens what the agent may do, none takes away what Flyball sets itself, and nothing
 * is read as the prompt, which every user of the machine could see in the list of processes.
 *
 * @param valued options that a value follows, as the next argument or after an equals sign
 * @param plain options without a value
 * @param values whether an option may have a value
 * @param accepted what values those options may have, for errors
 */
public record AgentArguments(
    Set<String> valued, Set<String> plain, BiPredicate<String, String> values, String accepted) {

  /** How agents name what lets them do anything. */
  private static final Pattern BYPASS =
      Pattern.compile(
          "dangerously|bypass.?(permissions|approvals)|danger-full-access|--?yolo|full-?auto",
          Pattern.CASE_INSENSITIVE);

  /** Options whose values need no check. */
  AgentArguments(Set<String> valued, Set<String> plain) {
    this(valued, plain, (option, value) -> true, "");
  }

  /**
   * Rejects arguments that this agent must not get.
   *
   * @throws IllegalArgumentException with the argument and what is accepted
   */
  public static void check(AgentProgram agent, List<String> arguments) {
    for (String each : arguments) {
      if (BYPASS.matcher(each).find()) {
        throw new IllegalArgumentException(
            "args '" + each + "' bypasses permissions, which Flyball never does; remove it");
      }
    }
    AgentArguments accepted = agent.facts().arguments();
    if (accepted != null) {
      accepted.check(agent.name(), arguments);
    }
  }

  private void check(String agent, List<String> arguments) {
    for (int i = 0; i < arguments.size(); i++) {
      String argument = arguments.get(i);
      if (plain.contains(argument)) {
        continue;
      }
      int equals = argument.indexOf('=');
      String option = equals < 0 ? argument : argument.substring(0, equals);
      if (!valued.contains(option)) {
        String known =
            Stream.of(valued, plain)
                .flatMap(options -> options.stream().sorted())
                .collect(Collectors.joining(", "));
        throw new IllegalArgumentException(
            "args '"
                + argument
                + "' is not accepted for "
                + agent
                + "; it may have "
                + (known.isEmpty() ? "none" : known));
      }
      if (equals < 0) {
        i++;
      }
      String value =
          equals >= 0
              ? argument.substring(equals + 1)
              : i < arguments.size() ? arguments.get(i) : "-";
      if (value.startsWith("-")) {
        throw new IllegalArgumentException("args: a value must follow '" + option + "'");
      }
      if (!values.test(option, value)) {
        throw new IllegalArgumentException(
            "args '" + option + " " + value + "' is not accepted; it may set " + accepted);
      }
    }
  }
}
