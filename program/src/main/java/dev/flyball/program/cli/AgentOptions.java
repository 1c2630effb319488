package dev.flyball.program.cli;

import dev.flyball.program.cli.Options.KafkaOptions;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.config.ConfigurationError.Problem;
import dev.flyball.program.config.ConfiguredClassifier;
import dev.flyball.program.config.Key;
import dev.flyball.program.config.Keys;
import dev.flyball.program.doctor.AgentCheck;
import dev.flyball.runner.agent.AgentProfile;
import dev.flyball.runner.agent.AgentProgram;
import dev.flyball.runner.repository.RepositoryAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of the commands that start agents. */
final class AgentOptions {
  private static final class OfModels implements Iterable<String> {
    @Override
    public Iterator<String> iterator() {
      return AgentProgram.ofModels().iterator();
    }
  }

  @Option(names = "--repo", paramLabel = "DIR")
  @Nullable String repo;

  @Option(
      names = "--agent",
      paramLabel = "NAME",
      description =
          "scout (default: bundled, uses no model, costs nothing), ${COMPLETION-CANDIDATES} or"
              + " command:/path/to/program",
      completionCandidates = OfModels.class)
  @Nullable String agent;

  @Option(names = "--cap", paramLabel = "N")
  @Nullable String cap;

  Configuration over(Configuration loaded) {
    Configuration all = repo == null ? loaded : loaded.with(Keys.REPO, repo, "--repo");
    if (agent != null && !agent.matches(AgentProgram.pattern()) && Files.exists(Path.of(agent))) {
      throw new ConfigurationError("--agent " + agent + " is a file; write command:" + agent);
    }
    all = agent == null ? all : all.with(Keys.AGENT, agent, "--agent");
    all = cap == null ? all : all.with(Keys.CAP, cap, "--cap");
    RepositoryAddress repository = all.get(Keys.REPO);
    if (missing(repository)) {
      throw all.error(
          Keys.REPO, "repository " + repository + " is not a directory; name one with --repo DIR");
    }
    return all;
  }

  /** The same for a service, after everything that it needs of this machine was found. */
  Configuration complete(KafkaOptions options) {
    Configuration all = over(options.load());
    new AppConfigurations(all).check();
    requireAgent(all, options.terminal.environment());
    requireRepositories(all);
    return all;
  }

  /** Rejects a source whose repository does not exist: all its items would fail. */
  private static void requireRepositories(Configuration configuration) {
    List<Problem> missing =
        new AppConfigurations(configuration)
            .sources().stream()
                .filter(source -> missing(source.place().repository()))
                .map(source ->
                    new Problem(
                        "source " + source.source().key(),
                        "repo",
                        "repo "
                            + source.place().repository()
                            + " is not a directory; correct it, or remove it to use sessions.repo"))
                .toList();
    if (!missing.isEmpty()) {
      throw new ConfigurationError(missing);
    }
  }

  /** Rejects a classifier without its program or token: every item would wait for it. */
  static void requireClassifier(Configuration configuration, Map<String, String> environment) {
    ConfiguredClassifier classifier = new AppConfigurations(configuration).classifier();
    Key<String> key =
        classifier instanceof ConfiguredClassifier.ByAgent ? Keys.TRIAGE_AGENT : Keys.CLASSIFIER;
    AgentCheck.missing(classifier, environment)
        .ifPresent(line -> {
          throw configuration.error(key, "classifier " + line);
        });
  }

  private static boolean missing(@Nullable RepositoryAddress repository) {
    return repository instanceof RepositoryAddress.Folder folder
        && !Files.isDirectory(folder.path());
  }

  /** Rejects a profile whose agent's program does not exist. */
  static void requireAgent(Configuration configuration, Map<String, String> environment) {
    for (AgentProfile profile : new AppConfigurations(configuration).agents().profiles()) {
      String where =
          profile.name().equals(AgentProfile.DEFAULT)
              ? configuration.origin(Keys.AGENT)
              : "agents, profile " + profile.name();
      AgentCheck.missing(profile, environment)
          .ifPresent(line -> {
            throw new ConfigurationError(where + ": agent " + line);
          });
    }
  }
}
