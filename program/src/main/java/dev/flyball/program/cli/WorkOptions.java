package dev.flyball.program.cli;

import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.config.Keys;
import dev.flyball.program.doctor.AgentCheck;
import dev.flyball.program.terminal.Terminal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options of the commands that start agents. */
final class WorkOptions {
  @Spec(Spec.Target.MIXEE)
  @Nullable CommandSpec command;

  @Option(
      names = "--repo",
      paramLabel = "DIR",
      description = "The repository that agents read; by default the current folder")
  @Nullable String repo;

  @Option(
      names = "--agent",
      paramLabel = "NAME",
      description =
          "scout (default: bundled, no model, costs nothing), claude, codex, gemini or"
              + " command:/path/to/program")
  @Nullable String agent;

  @Option(
      names = "--cap",
      paramLabel = "N",
      description = "Most agent sessions at a time; by default 3")
  @Nullable String cap;

  /** The configuration with these options over it. */
  Configuration over(Configuration loaded) {
    Configuration all = repo == null ? loaded : loaded.with(Keys.REPO, repo, "--repo");
    all = agent == null ? all : all.with(Keys.AGENT, agent, "--agent");
    all = cap == null ? all : all.with(Keys.CAP, cap, "--cap");
    Path repository = all.path(Keys.REPO);
    if (!Files.isDirectory(repository)) {
      throw usage("repository " + repository + " is no folder; name one with --repo DIR");
    }
    return all;
  }

  private ParameterException usage(String line) {
    if (command == null) {
      throw new IllegalStateException(line);
    }
    return new ParameterException(command.commandLine(), line);
  }

  /** Rejects a source whose repository does not exist: all its items would fail. */
  void refuseMissingRepositories(Configuration configuration) {
    List<String> missing =
        new AppConfigurations(configuration)
            .sources().stream()
                .flatMap(source ->
                    source.repository().stream()
                        .filter(repository -> !Files.isDirectory(repository))
                        .map(repository ->
                            "source "
                                + source.source().key()
                                + ": its repo "
                                + repository
                                + " is no folder; correct it, or leave it out for sessions.repo"))
                .toList();
    if (!missing.isEmpty()) {
      throw new ConfigurationError(missing);
    }
  }

  /** Rejects an agent whose program does not exist. */
  void refuseMissingAgent(Configuration configuration, Terminal terminal) {
    AgentCheck.missing(new AppConfigurations(configuration).agent(), terminal.environment())
        .ifPresent(line -> {
          throw new ConfigurationError(
              List.of(configuration.origin(Keys.AGENT) + ": agent " + line));
        });
  }
}
