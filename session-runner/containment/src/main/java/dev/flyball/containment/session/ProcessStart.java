package dev.flyball.containment.session;

import dev.flyball.containment.CannotStart;
import dev.flyball.containment.kernel.PosixSpawn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * How the outermost process of a session is started: as the leader of a new kernel session, so that
 * neither Ctrl-C nor Ctrl-Z on the runner's terminal reaches the deadman.
 *
 * @param command a program's path, and its arguments
 * @param environment all of its variables
 * @param input the file that is its standard input
 */
public record ProcessStart(
    List<String> command, Map<String, String> environment, Path directory, Path input) {
  private static final boolean SPAWN = PosixSpawn.available();

  public ProcessStart {
    command = List.copyOf(command);
    environment = Map.copyOf(environment);
  }

  /** Starts it in the cheapest way that this machine has. */
  Process start() throws IOException {
    return SPAWN ? bySpawn() : byBuilder();
  }

  /** Without any program in between. */
  Process bySpawn() throws IOException {
    rejectNullCharacters();
    return SpawnedProcess.of(() -> PosixSpawn.start(command, environment, directory, input));
  }

  /**
   * Through the JDK's helper program and {@code setsid}, which would only exit with 126 or 127
   * where the program cannot be executed. Signals that this JVM ignores stay ignored.
   */
  Process byBuilder() throws IOException {
    rejectNullCharacters();
    Path program = Path.of(command.getFirst());
    if (Files.isDirectory(program) || !Files.isExecutable(program)) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "Cannot run program \"%s\" (in directory \"%s\"): %s",
              program,
              directory,
              Files.exists(program)
                  ? "error: 13 (Permission denied)"
                  : "error: 2 (No such file or directory)"));
    }
    var builder = new ProcessBuilder(inNewSession());
    builder.environment().clear();
    builder.environment().putAll(environment);
    builder.directory(directory.toFile());
    builder.redirectInput(input.toFile());
    return builder.start();
  }

  /** A program would get only the text before the character. */
  private void rejectNullCharacters() throws IOException {
    boolean inEnvironment =
        environment.entrySet().stream()
            .anyMatch(it -> (it.getKey() + it.getValue()).contains("\0"));
    if (inEnvironment || command.stream().anyMatch(it -> it.contains("\0"))) {
      throw new IOException("invalid null character in the command or the environment");
    }
  }

  private List<String> inNewSession() throws CannotStart {
    var all = new ArrayList<String>();
    all.add(Tools.need("setsid"));
    all.addAll(command);
    return all;
  }
}
