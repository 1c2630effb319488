package dev.flyball.containment.session;

import dev.flyball.containment.CannotStart;
import dev.flyball.containment.kernel.PosixSpawn;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How the outermost process of a session is started: as the leader of a kernel session of its own,
 * so that neither Ctrl-C nor Ctrl-Z on the runner's terminal reaches the deadman.
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
    return SpawnedProcess.of(() -> PosixSpawn.start(command, environment, directory, input));
  }

  /** Through the JDK's helper program and {@code setsid}. */
  Process byBuilder() throws IOException {
    var builder = new ProcessBuilder(inNewSession());
    builder.environment().clear();
    builder.environment().putAll(environment);
    builder.directory(directory.toFile());
    builder.redirectInput(input.toFile());
    return builder.start();
  }

  private List<String> inNewSession() throws CannotStart {
    var all = new ArrayList<String>();
    all.add(Tools.need("setsid"));
    all.addAll(command);
    return all;
  }
}
