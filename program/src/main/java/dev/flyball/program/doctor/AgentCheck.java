package dev.flyball.program.doctor;

import dev.flyball.containment.Launch;
import dev.flyball.containment.ProgramVersion;
import dev.flyball.program.config.ConfiguredClassifier;
import dev.flyball.runner.agent.AgentProfile;
import dev.flyball.runner.agent.AgentProgram;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.http.Tokens;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Checks whether what is configured to ask models can be started, for doctor and for each start.
 *
 * @param check the name of its finding
 * @param key where another one is chosen
 */
public record AgentCheck(String check, String key) {
  private static final AgentCheck CLASSIFIER = new AgentCheck("classifier", "triage.agent");

  private static AgentCheck of(AgentProfile profile) {
    return profile.name().equals(AgentProfile.DEFAULT)
        ? new AgentCheck("agent", "sessions.agent")
        : new AgentCheck("profile " + profile.name(), "agent in profile " + profile.name());
  }

  /**
   * Why no session of this profile could ever start, with the fix; empty if its program exists. A
   * misspelt name would use up the attempts of every item.
   */
  public static Optional<String> missing(AgentProfile profile, Map<String, String> environment) {
    return of(profile).missing(profile.agent().facts(), environment).map(Finding::line);
  }

  /** Why no triage call could ever start, with the fix; empty if its program or token exists. */
  public static Optional<String> missing(
      ConfiguredClassifier classifier, Map<String, String> environment) {
    return switch (classifier) {
      case ConfiguredClassifier.Rules _ -> Optional.empty();
      case ConfiguredClassifier.ByAgent by ->
          CLASSIFIER.missing(by.agent().facts(), environment).map(Finding::line);
      case ConfiguredClassifier.ByMessages by -> {
        try {
          var _ = Tokens.read(by.token(), environment);
          yield Optional.empty();
        } catch (SourceFailure e) {
          yield Optional.of(e.failure().reason());
        }
      }
    };
  }

  /** What doctor says of the profiles, and of the agents that could be chosen. */
  static Stream<Finding> all(List<AgentProfile> profiles, Map<String, String> environment) {
    List<AgentProgram.Facts> others =
        AgentProgram.named().stream()
            .map(AgentProgram::facts)
            .filter(agent -> agent.executable() != null)
            .filter(agent ->
                profiles.stream().noneMatch(each -> agent.name().equals(each.agent().name())))
            .toList();
    String missing =
        others.stream()
            .map(AgentProgram.Facts::name)
            .filter(name -> ProgramVersion.of(name, environment).isEmpty())
            .collect(Collectors.joining(", "));
    return Stream.of(
            profiles.stream().map(each -> of(each).configured(each.agent().facts(), environment)),
            others.stream()
                .flatMap(agent ->
                    ProgramVersion.of(agent.name(), environment)
                        .map(
                            found -> Finding.ok("agent " + agent.name(), said(agent.name(), found)))
                        .stream()),
            Stream.of(missing)
                .filter(names -> !names.isEmpty())
                .map(names ->
                    Finding.absent(
                        "other agents",
                        "not on PATH: " + names,
                        "none is needed; docs/agents.md says how to install them")))
        .flatMap(it -> it);
  }

  /** What doctor says of what judges batches. */
  static Finding classifier(ConfiguredClassifier classifier, Map<String, String> environment) {
    String check = CLASSIFIER.check();
    return switch (classifier) {
      case ConfiguredClassifier.Rules _ ->
          Finding.ok(check, "rules: bundled, no model, costs nothing");
      case ConfiguredClassifier.ByAgent by -> {
        Finding found = CLASSIFIER.configured(by.agent().facts(), environment);
        String model = by.agent().model();
        String which = model == null ? "" : ", model " + model;
        yield new Finding(check, found.state(), found.found() + which, found.fix());
      }
      case ConfiguredClassifier.ByMessages by -> {
        String found = "model " + by.name() + " at " + by.url();
        yield missing(by, environment)
            .map(fix -> Finding.unhealthy(check, found, fix))
            .orElseGet(() -> Finding.ok(check, found));
      }
    };
  }

  private Optional<Finding> missing(AgentProgram.Facts agent, Map<String, String> environment) {
    String program = agent.executable();
    String install = agent.installation();
    if (program == null || files(program, environment).anyMatch(Files::isExecutable)) {
      return Optional.empty();
    } else if (install == null && files(program, environment).findAny().isPresent()) {
      return Optional.of(
          Finding.unhealthy(check, program + " is not executable", "chmod +x " + program));
    }
    return Optional.of(
        install == null
            ? Finding.unhealthy(
                check, program + " is not there", "correct " + key + ", or install it")
            : Finding.unhealthy(
                check, program + " is not on PATH", install + ", or choose another " + key));
  }

  private Finding configured(AgentProgram.Facts agent, Map<String, String> environment) {
    String program = agent.executable();
    if (program == null) {
      return Finding.ok(check, agent.name() + ": bundled, no model, costs nothing");
    }
    Optional<Finding> missing = missing(agent, environment);
    if (missing.isPresent()) {
      return missing.get();
    } else if (agent.installation() != null) {
      ProgramVersion found = ProgramVersion.of(program, environment).orElseThrow();
      return Finding.ok(check, said(agent.name(), found))
          .degradedIf(
              found.version().isEmpty(),
              "run " + found.file() + " --version and see what it complains of");
    }
    return Finding.ok(check, program);
  }

  private static String said(String name, ProgramVersion found) {
    return name + ": " + found.version().orElse("says no version") + ", " + found.file();
  }

  /** The files to which a program's name may refer. */
  private static Stream<Path> files(String program, Map<String, String> environment) {
    return program.contains("/")
        ? Stream.of(Path.of(program)).filter(Files::isRegularFile)
        : Launch.onPath(program, environment.getOrDefault("PATH", ""));
  }
}
