package dev.flyball.program.cli;

import dev.flyball.containment.Launch;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.producer.DryRun;
import dev.flyball.producer.ProducerApp;
import dev.flyball.program.admin.AdminTool;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.config.ConfigurationLoader;
import dev.flyball.program.config.FirstFile;
import dev.flyball.program.run.Estimate;
import dev.flyball.program.terminal.CountedNoun;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Terminal;
import dev.flyball.runner.agent.AgentProgram;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Writes a first flyball.yaml, after all questions are answered and the file was checked. */
@Command(name = "init", mixinStandardHelpOptions = true)
final class InitCommand implements Callable<Exit> {
  private final Terminal terminal;

  @Option(names = "--config", paramLabel = "FILE")
  @Nullable Path file;

  @Option(names = "--force")
  boolean force;

  @Option(names = "--yes")
  boolean yes;

  InitCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Exit call() throws IOException {
    Path target = file == null ? ConfigurationLoader.DEFAULT_FILE : file;
    if (Files.isDirectory(target)) {
      throw new ConfigurationError(target + " is a directory; name a file in it");
    }
    if (Files.exists(target) && !force) {
      throw new ConfigurationError(target + " exists; replace it with --force");
    }
    Path folder = target.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      throw new ConfigurationError(target + ": its directory does not exist; create it first");
    }
    Optional<BufferedReader> person = yes ? Optional.empty() : terminal.in();
    Map<String, String> answers =
        person.isEmpty()
            ? FirstFile.usual()
            : asked(
                new FirstFile(FirstFile.onGitHub(folder).orElse(""), installed()),
                person.get(),
                target);
    String yaml = FirstFile.schemaLine(Path.of(""), target) + FirstFile.yaml(answers);
    check(yaml, target);
    try {
      Files.writeString(
          target,
          yaml,
          StandardOpenOption.WRITE,
          force ? StandardOpenOption.CREATE : StandardOpenOption.CREATE_NEW,
          StandardOpenOption.TRUNCATE_EXISTING);
    } catch (IOException e) {
      throw new StartFailure(
          target
              + " cannot be written ("
              + e.getClass().getSimpleName()
              + "); make its folder writable, or name another file with --config",
          e);
    }
    sayWhatFollows(target, answers, person.isPresent());
    return Exit.DONE;
  }

  /** The agents whose programs are on PATH. */
  private Set<String> installed() {
    String path = terminal.environment().getOrDefault("PATH", "");
    return AgentProgram.named().stream()
        .map(AgentProgram::name)
        .filter(name -> Launch.onPath(name, path).anyMatch(Files::isExecutable))
        .collect(Collectors.toSet());
  }

  /** Asks until the whole file is accepted. */
  private Map<String, String> asked(FirstFile file, BufferedReader person, Path target)
      throws IOException {
    Map<String, String> before = Map.of();
    while (true) {
      var answers = new LinkedHashMap<String, String>();
      for (Optional<FirstFile.Question> next = file.next(answers);
          next.isPresent();
          next = file.next(answers)) {
        String key = next.get().key().name();
        String initial = before.getOrDefault(key, next.get().initial());
        answers.put(key, ask(person, next.get(), initial, target));
      }
      try {
        check(FirstFile.yaml(answers), target);
        return answers;
      } catch (ConfigurationError e) {
        e.lines().forEach(line -> terminal.say("  " + line));
        terminal.say("Answer again: press Enter to keep an answer that was valid.");
        // Those that the error concerns would be rejected again.
        e.problems().forEach(problem -> answers.remove(problem.key()));
        before = answers;
      }
    }
  }

  private String ask(
      BufferedReader person, FirstFile.Question question, String initial, Path target)
      throws IOException {
    String offered = initial.isEmpty() ? "" : " [" + initial + "]";
    List<FirstFile.Choice> choices = question.choices();
    if (!choices.isEmpty()) {
      terminal.say(question.text());
      for (int i = 0; i < choices.size(); i++) {
        terminal.say(
            "  " + (i + 1) + " " + choices.get(i).name() + ": " + choices.get(i).meaning());
      }
    }
    String text = choices.isEmpty() ? question.text() : "Number or name";
    while (true) {
      terminal.err().print(text + (question.optional() ? " (optional)" : "") + offered + ": ");
      terminal.err().flush();
      String line = person.readLine();
      if (line == null) {
        terminal.err().println();
        throw new StartFailure("no answer; nothing was written");
      }
      String answer = line.isBlank() ? initial : question.meant(line.strip());
      Optional<String> refusal = question.refusal(answer, target);
      if (refusal.isEmpty()) {
        return answer;
      }
      terminal.say("  " + refusal.get());
    }
  }

  /** Rejects an invalid file, without the environment's values: it must be complete by itself. */
  private static void check(String yaml, Path target) {
    new AppConfigurations(ConfigurationLoader.of(yaml, target)).check();
  }

  private void sayWhatFollows(Path target, Map<String, String> answers, boolean asked) {
    terminal.say(
        target
            + (asked || yes
                ? " is written."
                : " is written with the default answers: there is no terminal to ask on."));
    Configuration configuration =
        ConfigurationLoader.load(target, terminal.environment(), List.of());
    String named = file == null ? "" : " --config " + AdminTool.quoted(target.toString());
    Optional<String> unset =
        FirstFile.variable(answers)
            .filter(variable -> terminal.environment().getOrDefault(variable, "").isBlank());
    if (unset.isPresent()) {
      terminal.say("First put the token into the variable " + unset.get() + ". Then run:");
      terminal.out().println("./flyball producer --once --dry-run" + named);
    } else {
      if (FirstFile.variable(answers).isPresent()) {
        terminal.say("Its items are read once to count those; Ctrl-C leaves that out.");
      }
      ProducerApp.dryRun(new AppConfigurations(configuration).producer())
          .forEach(source -> sayWhatWouldStart(source, configuration));
    }
    terminal.out().println("./flyball doctor" + named);
    terminal.out().println("./flyball up" + named);
  }

  private void sayWhatWouldStart(DryRun source, Configuration configuration) {
    switch (source) {
      case DryRun.Unreadable missing -> terminal.say(missing.source() + ": " + missing.reason());
      case DryRun.Read read -> {
        boolean paid = new AppConfigurations(configuration).agents().paid();
        String items = CountedNoun.of(read.items().size(), "item", "items");
        String cost = paid ? Estimate.of(read.taken(), configuration).line() : "they cost nothing";
        String started = read.source() + " would start " + read.taken() + " of " + items;
        terminal.say(started + ", fewer after triage; " + cost);
      }
    }
  }
}
