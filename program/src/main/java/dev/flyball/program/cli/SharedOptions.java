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
final class SharedOptions {
  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "Configuration file; by default flyball.yaml of the current folder")
  @Nullable Path file;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "Sets one key, over file and environment; may be repeated")
  List<String> sets = new ArrayList<>();

  @Option(names = "--data", paramLabel = "DIR", description = "Data folder; by default .flyball")
  @Nullable String data;

  /** Loads all layers, with the options over them. */
  Configuration load(Terminal terminal) {
    Configuration loaded = ConfigurationLoader.load(file, terminal.environment(), sets);
    return data == null ? loaded : loaded.with(Keys.DATA, data, "--data");
  }

  /**
   * How a service reads everything again when the file changes.
   *
   * @param over what a command puts over the layers
   */
  HotConfiguration.Again again(Terminal terminal, UnaryOperator<Configuration> over) {
    return new HotConfiguration.Again(
        file == null ? ConfigurationLoader.DEFAULT_FILE : file,
        () -> over.apply(load(terminal)),
        line -> terminal.say("flyball: " + line));
  }
}
