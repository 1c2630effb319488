package dev.flyball.program.cli;

import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.terminal.Terminal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of the commands that read what a console knows, here or on another machine. */
final class ConsoleOptions {
  @Option(
      names = "--console",
      paramLabel = "URL",
      description =
          "Ask the console at this address instead of reading the data folder (default:"
              + " FLYBALL_CONSOLE)")
  @Nullable String console;

  @Option(
      names = "--console-token-file",
      paramLabel = "FILE",
      description =
          "File whose first line is the token for --console (default: the token in"
              + " FLYBALL_CONSOLE_TOKEN)")
  @Nullable Path tokenFile;

  private final Terminal terminal;

  ConsoleOptions(Terminal terminal) {
    this.terminal = terminal;
  }

  /**
   * The address of the console to ask, empty for the data folder. A folder or a Kafka that is named
   * with an option is meant, whatever the environment says.
   */
  Optional<String> url(ConfigurationOptions options) {
    boolean here =
        options.data != null || (options instanceof KafkaOptions kafka && kafka.servers != null);
    return Optional.ofNullable(console)
        .or(() -> here ? Optional.empty() : Optional.ofNullable(variable("FLYBALL_CONSOLE")));
  }

  /** The console to ask, which the caller closes; empty for the data folder and its Kafka. */
  Optional<RemoteReader> remote(ConfigurationOptions options) {
    return url(options).map(address -> new RemoteReader(address, token()));
  }

  /** What the command reads; the caller closes it. */
  ConsoleReader reader(ConfigurationOptions options) {
    return remote(options)
        .<ConsoleReader>map(reader -> reader)
        .orElseGet(() -> new ConsoleReader.Local(options.load()));
  }

  private @Nullable String token() {
    if (tokenFile == null) {
      return variable("FLYBALL_CONSOLE_TOKEN");
    }
    try {
      return Files.readString(tokenFile).lines().findFirst().orElse("").strip();
    } catch (IOException e) {
      throw new ConfigurationError(
          "--console-token-file " + tokenFile + ": cannot be read; write the token into it");
    }
  }

  private @Nullable String variable(String name) {
    String value = terminal.environment().getOrDefault(name, "").strip();
    return value.isEmpty() ? null : value;
  }
}
