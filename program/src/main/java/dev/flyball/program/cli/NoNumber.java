package dev.flyball.program.cli;

import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** The error for an argument that is not a number, in our words rather than Java's. */
final class NoNumber {
  private static final Map<Class<?>, String> WANTED =
      Map.of(
          int.class, "a whole number",
          Integer.class, "a whole number",
          long.class, "a whole number",
          Long.class, "a whole number",
          BigDecimal.class, "a number, for example 0.50");

  private NoNumber() {}

  /** The error line; empty if something else is wrong. */
  static Optional<String> line(ParameterException e) {
    ArgSpec argument = e.getArgSpec();
    String wanted = argument == null ? null : WANTED.get(argument.type());
    if (argument == null || wanted == null || e.getValue() == null) {
      return Optional.empty();
    }
    String name =
        argument instanceof OptionSpec option ? option.longestName() : argument.paramLabel();
    return Optional.of(name + ": '" + e.getValue() + "' is not " + wanted);
  }
}
