package dev.flyball.program.doctor;

import dev.flyball.containment.Launch;
import dev.flyball.containment.ProgramVersion;
import dev.flyball.program.config.ConfiguredClassifier;
import dev.flyball.runner.agent.AgentProfile;
import dev.flyball.runner.agent.AgentProgram;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.http.Tokens;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Checks whether the configured agents can be started, and which others could be. */
public final class AgentCheck {
  private static final Use CLASSIFIER = new Use("classifier", "triage.agent");

  private AgentCheck() {}

  /**
   * What an agent is configured for.
   *
   * @param check the name of its finding
   * @param key where another one is chosen
   */
  private record Use(String check, String key) {
    static Use of(AgentProfile profile) {
      return profile.name().equals(AgentProfile.DEFAULT)
          ? new Use("agent", "sessions.agent")
          : new Use("profile " + profile.name(), "agent in profile " + profile.name());
    }
  }

  /**
   * Why no session of this profile could ever start, with the fix; empty if its program exists. A
   * misspelt name would use up the attempts of every item. A path relative to the repository is not
   * checked here; the sessions check it.
   */
  public static Optional<String> missing(AgentProfile profile, Map<String, String> environment) {
    return missing(Use.of(profile), profile.agent().facts(), environment);
  }

  private static Optional<String> missing(
      Use use, AgentProgram.Facts agent, Map<String, String> environment) {
    String program = agent.executable();
    boolean there =
        program == null
            || (agent.installation() == null
                ? relative(program) || !files(program, environment).isEmpty()
                : ProgramVersion.of(program, environment).isPresent());
    if (there) {
      return Optional.empty();
    }
    Finding found = configured(use, agent, environment);
    return Optional.of(found.found() + "; " + found.fix());
  }

  private static boolean relative(String program) {
    return program.contains("/") && !program.startsWith("/");
  }

  static List<Finding> all(List<AgentProfile> profiles, Map<String, String> environment) {
    var findings = new ArrayList<Finding>();
    profiles.forEach(
        profile -> findings.add(configured(Use.of(profile), profile.agent().facts(), environment)));
    AgentProgram.named().stream()
        .map(AgentProgram::facts)
        .filter(agent -> agent.executable() != null)
        .filter(
            agent -> profiles.stream().noneMatch(each -> agent.name().equals(each.agent().name())))
        .map(agent -> spare(agent, environment))
        .forEach(findings::add);
    return findings;
  }

  /** Whether what judges batches can be started. */
  static Finding classifier(ConfiguredClassifier classifier, Map<String, String> environment) {
    return switch (classifier) {
      case ConfiguredClassifier.Rules rules ->
          Finding.ok(CLASSIFIER.check(), "rules: bundled, no model, costs nothing");
      case ConfiguredClassifier.ByAgent by -> {
        Finding found = configured(CLASSIFIER, by.agent().facts(), environment);
        String model = by.agent().model();
        yield model == null
            ? found
            : new Finding(
                found.check(), found.state(), found.found() + ", model " + model, found.fix());
      }
      case ConfiguredClassifier.ByMessages by -> {
        String found = "model " + by.name() + " at " + by.endpoint().url();
        yield missing(by, environment)
            .map(line -> Finding.unhealthy(CLASSIFIER.check(), found, line))
            .orElse(Finding.ok(CLASSIFIER.check(), found));
      }
    };
  }

  /** Why no triage call could ever start, with the fix; empty if its program or token exists. */
  public static Optional<String> missing(
      ConfiguredClassifier classifier, Map<String, String> environment) {
    return switch (classifier) {
      case ConfiguredClassifier.Rules rules -> Optional.empty();
      case ConfiguredClassifier.ByAgent by -> missing(CLASSIFIER, by.agent().facts(), environment);
      case ConfiguredClassifier.ByMessages by -> missing(by, environment);
    };
  }

  private static Optional<String> missing(
      ConfiguredClassifier.ByMessages by, Map<String, String> environment) {
    try {
      var _ = Tokens.read(by.endpoint().token(), environment);
      return Optional.empty();
    } catch (SourceFailure e) {
      return Optional.of(e.failure().reason());
    }
  }

  private static Finding configured(
      Use use, AgentProgram.Facts agent, Map<String, String> environment) {
    String program = agent.executable();
    if (program == null) {
      return Finding.ok(use.check(), agent.name() + ": bundled, no model, costs nothing");
    }
    return agent.installation() == null
        ? command(use, program, environment)
        : needed(use, agent, program, environment);
  }

  private static Finding needed(
      Use use, AgentProgram.Facts agent, String executable, Map<String, String> environment) {
    Optional<ProgramVersion> found = ProgramVersion.of(executable, environment);
    if (found.isEmpty()) {
      return Finding.unhealthy(
          use.check(),
          executable + " is not on PATH",
          agent.installation() + ", or choose another " + use.key());
    }
    return found.get().version().isPresent()
        ? Finding.ok(use.check(), said(agent.name(), found.get()))
        : Finding.degraded(
            use.check(),
            said(agent.name(), found.get()),
            "run " + found.get().file() + " --version and see what it complains of");
  }

  /** The daily budget of an agent that costs money. */
  static Finding budget(long dailyMicros) {
    return Finding.ok(
        "budget", "$" + BigDecimal.valueOf(dailyMicros, 6).toPlainString() + " a day");
  }

  /** An agent that is not configured: nothing is wrong if it is missing. */
  private static Finding spare(AgentProgram.Facts agent, Map<String, String> environment) {
    String check = "agent " + agent.name();
    return ProgramVersion.of(agent.name(), environment)
        .map(found -> Finding.ok(check, said(agent.name(), found)))
        .orElseGet(() ->
            Finding.absent(
                check,
                agent.name() + " is not on PATH",
                "for --agent " + agent.name() + ": " + agent.installation()));
  }

  private static String said(String name, ProgramVersion found) {
    return name + ": " + found.version().orElse("says no version") + ", " + found.file();
  }

  private static Finding command(Use use, String program, Map<String, String> environment) {
    List<Path> files = files(program, environment);
    if (files.isEmpty()) {
      return Finding.unhealthy(
          use.check(), program + " is not there", "correct " + use.key() + ", or install it");
    }
    return files.stream().anyMatch(Files::isExecutable)
        ? Finding.ok(use.check(), program)
        : Finding.unhealthy(use.check(), program + " is not executable", "chmod +x " + program);
  }

  /** The files to which a program's name may refer. */
  static List<Path> files(String program, Map<String, String> environment) {
    return program.contains("/")
        ? Stream.of(Path.of(program)).filter(Files::isRegularFile).toList()
        : Launch.onPath(program, environment.getOrDefault("PATH", "")).toList();
  }
}
