package dev.flyball.containment;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Finds what would keep a command from starting, because a shell would only exit with 126 or 127.
 */
final class LaunchCheck {
  private LaunchCheck() {}

  static void check(Launch launch) throws CannotStart {
    if (!Files.isDirectory(launch.directory())) {
      throw new CannotStart(
          "no-directory",
          "working directory "
              + launch.directory()
              + " does not exist; set sessions.repo to a folder");
    }
    if (launch.command().isEmpty()) {
      throw new CannotStart("not-found", "the agent's command is empty; set sessions.agent");
    }
    String program = launch.command().getFirst();
    if (program.indexOf('/') >= 0) {
      checkFile(program, launch.directory().resolve(program));
    } else {
      checkPath(program, launch.environment().getOrDefault("PATH", "/usr/bin:/bin"));
    }
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
    boolean seen = false;
    for (String folder : path.split(":")) {
      Path file = Path.of(folder.isEmpty() ? "." : folder, program);
      if (Files.isRegularFile(file)) {
        if (Files.isExecutable(file)) {
          return;
        }
        seen = true;
      }
    }
    if (seen) {
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
