package dev.flyball.containment;

import dev.flyball.containment.kernel.ProcessEntry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The program to run, and how.
 *
 * @param session session id; becomes the cookie FLYBALL_SESSION on every process of the tree
 * @param command program and arguments, never the prompt
 * @param environment an allow-list; {@link #wholeEnvironment} adds what every agent gets
 * @param directory working directory
 * @param prompt text for the agent's standard input as UTF-8, which is closed after it
 */
public record Launch(
    String session,
    List<String> command,
    Map<String, String> environment,
    Path directory,
    String prompt) {
  /** Git asks ssh and credential helpers even locally; a prompt without a terminal hangs. */
  private static final Map<String, String> FIXED =
      Map.ofEntries(
          Map.entry("CI", "1"),
          Map.entry("TERM", "dumb"),
          Map.entry("NO_COLOR", "1"),
          Map.entry("GIT_TERMINAL_PROMPT", "0"),
          Map.entry("GIT_ASKPASS", "/bin/false"),
          Map.entry("SSH_ASKPASS", "/bin/false"),
          Map.entry("SSH_ASKPASS_REQUIRE", "never"),
          Map.entry("GCM_INTERACTIVE", "never"),
          Map.entry("GIT_SSH_COMMAND", "ssh -oBatchMode=yes -oConnectTimeout=10"),
          Map.entry("GIT_CONFIG_COUNT", "1"),
          Map.entry("GIT_CONFIG_KEY_0", "credential.helper"),
          Map.entry("GIT_CONFIG_VALUE_0", ""));

  public Launch {
    command = List.copyOf(command);
    environment = Map.copyOf(environment);
  }

  /** The whole environment of the agent: its own variables, the fixed ones and the cookie. */
  public Map<String, String> wholeEnvironment() {
    var whole = new HashMap<>(environment);
    whole.putAll(FIXED);
    whole.put(ProcessEntry.COOKIE, session);
    // An agent that finds it assumes that another agent started it, and does not run.
    whole.remove("CLAUDECODE");
    return whole;
  }

  /**
   * Finds what would keep the command from starting, because a shell would only exit with 126 or
   * 127.
   *
   * @throws CannotStart with the reason and the fix
   */
  public void check() throws CannotStart {
    if (!Files.isDirectory(directory)) {
      throw new CannotStart(
          "no-directory",
          "working directory " + directory + " does not exist; set sessions.repo to a folder");
    }
    if (command.isEmpty()) {
      throw new CannotStart("not-found", "the agent's command is empty; set sessions.agent");
    }
    if (Stream.of(command, environment.keySet(), environment.values())
        .flatMap(Collection::stream)
        .anyMatch(text -> text.contains("\0"))) {
      // A program would get only the text before it.
      throw new CannotStart(
          "not-executable", "the agent's command or environment has a null character; remove it");
    }
    String program = command.getFirst();
    if (program.indexOf('/') >= 0) {
      checkFile(program, directory.resolve(program));
    } else {
      checkPath(program, environment.getOrDefault("PATH", "/usr/bin:/bin"));
    }
  }

  /** The files of this name to which a PATH leads, executable or not, in its order. */
  public static Stream<Path> onPath(String program, String path) {
    return Stream.of(path.split(":"))
        .filter(folder -> !folder.isEmpty())
        .map(folder -> Path.of(folder, program))
        .filter(Files::isRegularFile);
  }

  private static void checkFile(String program, Path file) throws CannotStart {
    if (!Files.exists(file)) {
      throw new CannotStart("not-found", "agent " + program + " not found; check sessions.agent");
    }
    if (Files.isDirectory(file) || !Files.isExecutable(file)) {
      throw notExecutable(program);
    }
  }

  private static void checkPath(String program, String path) throws CannotStart {
    if (onPath(program, path).anyMatch(Files::isExecutable)) {
      return;
    }
    if (onPath(program, path).findAny().isPresent()) {
      throw notExecutable(program);
    }
    throw new CannotStart(
        "not-found",
        "agent " + program + " not found on PATH " + path + "; install it or give its path");
  }

  private static CannotStart notExecutable(String program) {
    return new CannotStart(
        "not-executable",
        "agent " + program + " not executable; chmod +x it or check sessions.agent");
  }
}
