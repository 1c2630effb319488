package dev.flyball.program.cli;

import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationLoader;
import dev.flyball.program.config.Keys;
import dev.flyball.program.roles.HotConfiguration;
import dev.flyball.program.terminal.Terminal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of every command that reads the configuration. */
sealed class ConfigurationOptions permits KafkaOptions {
  private final Terminal terminal;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "Configuration file (default: flyball.yaml in the current folder)")
  @Nullable Path file;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "Set one key; overrides the file and the environment; repeatable")
  List<String> sets = new ArrayList<>();

  @Option(names = "--data", paramLabel = "DIR", description = "Data folder (default: .flyball)")
  @Nullable String data;

  ConfigurationOptions(Terminal terminal) {
    this.terminal = terminal;
  }

  final Terminal terminal() {
    return terminal;
  }

  /** Loads all layers, with these options over them. */
  Configuration load() {
    Configuration loaded = ConfigurationLoader.load(file, terminal.environment(), sets);
    return data == null ? loaded : loaded.with(Keys.DATA, data, "--data");
  }

  /**
   * How a service reads everything again when the file changes.
   *
   * @param over what other options of the command put over the layers
   */
  final HotConfiguration.Again again(UnaryOperator<Configuration> over) {
    return new HotConfiguration.Again(
        file == null ? ConfigurationLoader.DEFAULT_FILE : file,
        () -> over.apply(load()),
        terminal::note);
  }
}
