package dev.flyball.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A program that a script of the folder {@code .ci} installs once for a machine. */
public final class InstalledProgram {
  private static final String AGENTS = ".ci/agents";

  private InstalledProgram() {}

  /** The path of the real claude. */
  public static Path claude() {
    return agent("claude");
  }

  /** The path of the real codex. */
  public static Path codex() {
    return agent("codex");
  }

  /** The path of the real agent of this name. */
  public static Path agent(String name) {
    return by(AGENTS, name);
  }

  /**
   * The path that the script prints.
   *
   * @throws IllegalStateException if it is missing and cannot be installed: a test that needs it
   *     fails, and is never skipped
   */
  static Path by(String script, String... arguments) {
    try {
      var command = new ArrayList<String>();
      command.add(file(script).toString());
      command.addAll(List.of(arguments));
      var installer =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
      String said = new String(installer.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (installer.waitFor() != 0) {
        throw new IllegalStateException("not there; see what " + script + " complains of");
      }
      return Path.of(said.strip());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static Path file(String script) {
    Path folder = Path.of("").toAbsolutePath();
    while (folder != null && !Files.exists(folder.resolve(script))) {
      folder = folder.getParent();
    }
    if (folder == null) {
      throw new IllegalStateException("no " + script + " above the working directory");
    }
    return folder.resolve(script);
  }
}
