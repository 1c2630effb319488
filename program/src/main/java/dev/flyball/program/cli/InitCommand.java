package dev.flyball.program.cli;

import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.admin.AdminTool;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.config.ConfigurationLoader;
import dev.flyball.program.config.FirstFile;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Terminal;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Writes a first flyball.yaml. The file is written only after all questions are answered and
 * checked.
 */
@Command(
    name = "init",
    mixinStandardHelpOptions = true,
    description = {
      "Ask a few questions and write a commented flyball.yaml, checked before it is written.",
      "",
      "With --yes, or without a terminal: items from items.jsonl, agent scout.",
      ""
    })
final class InitCommand implements Callable<Exit> {
  private final Terminal terminal;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "File to write (default: flyball.yaml in the current folder)")
  @Nullable Path file;

  @Option(names = "--force", description = "Replace an existing file")
  boolean force;

  @Option(names = "--yes", description = "Ask no questions")
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
    Optional<Map<String, String>> answers =
        person.isEmpty() ? Optional.of(FirstFile.usual()) : asked(person.get(), target);
    if (answers.isEmpty()) {
      throw new StartFailure("no answer; nothing was written");
    }
    String yaml = FirstFile.schemaLine(Path.of(""), target) + FirstFile.yaml(answers.get());
    refusal(yaml, target)
        .ifPresent(e -> {
          throw e;
        });
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
    sayWhatFollows(target, answers.get(), person.isPresent());
    return Exit.DONE;
  }

  /** Asks until the whole file is accepted; empty if the input ends before that. */
  private Optional<Map<String, String>> asked(BufferedReader person, Path target)
      throws IOException {
    Map<String, String> before = Map.of();
    while (true) {
      var answers = new LinkedHashMap<String, String>();
      Optional<FirstFile.Question> next = FirstFile.next(answers);
      while (next.isPresent()) {
        String key = next.get().key().name();
        String answer = ask(person, next.get(), before.getOrDefault(key, next.get().initial()));
        if (answer == null) {
          return Optional.empty();
        }
        answers.put(key, answer);
        next = FirstFile.next(answers);
      }
      Optional<ConfigurationError> refusal = refusal(FirstFile.yaml(answers), target);
      if (refusal.isEmpty()) {
        return Optional.of(answers);
      }
      refusal.get().lines().forEach(line -> terminal.say("  " + line));
      terminal.say("Answer again: press Enter to keep an answer that was valid.");
      // Those that the error concerns would be rejected again.
      refusal.get().problems().forEach(problem -> answers.remove(problem.key()));
      before = answers;
    }
  }

  private @Nullable String ask(BufferedReader person, FirstFile.Question question, String initial)
      throws IOException {
    String offered = initial.isEmpty() ? "" : " [" + initial + "]";
    while (true) {
      terminal
          .err()
          .print(question.text() + (question.optional() ? " (optional)" : "") + offered + ": ");
      terminal.err().flush();
      String line = person.readLine();
      if (line == null) {
        terminal.err().println();
        return null;
      }
      String answer = line.isBlank() ? initial : line.strip();
      Optional<String> refusal = question.refusal(answer);
      if (refusal.isEmpty()) {
        return answer;
      }
      terminal.say("  " + refusal.get());
    }
  }

  /**
   * Why the file would be rejected; empty if it is valid. The environment's values are left out:
   * the file must be complete by itself.
   */
  private static Optional<ConfigurationError> refusal(String yaml, Path target) {
    try {
      new AppConfigurations(ConfigurationLoader.of(yaml, target)).check();
      return Optional.empty();
    } catch (ConfigurationError e) {
      return Optional.of(e);
    }
  }

  private void sayWhatFollows(Path target, Map<String, String> answers, boolean asked) {
    terminal.say(
        target
            + (asked || yes
                ? " is written."
                : " is written with the default answers: there is no terminal to ask on."));
    FirstFile.repository(answers, target)
        .filter(repository -> !Files.isDirectory(repository))
        .ifPresent(repository ->
            terminal.say(
                "The repository "
                    + repository
                    + " does not exist; `up` does not start without it."));
    FirstFile.variable(answers)
        .ifPresent(variable ->
            terminal.say("First put the token into the variable " + variable + ". Then run:"));
    String named = file == null ? "" : " --config " + AdminTool.quoted(target.toString());
    terminal.out().println("./flyball doctor" + named);
    terminal.out().println("./flyball up" + named);
  }
}
