package dev.flyball.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The real claude, which {@code .ci/agents} installs once for a machine. */
public final class InstalledClaude {
  private InstalledClaude() {}

  /**
   * Where it is.
   *
   * @throws IllegalStateException if it is not there and cannot be installed: a test that needs it
   *     fails, and is never skipped
   */
  public static Path path() {
    try {
      var installer =
          new ProcessBuilder(script().toString())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      String said = new String(installer.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (installer.waitFor() != 0) {
        throw new IllegalStateException("claude is not there; see what .ci/agents complains of");
      }
      return Path.of(said.strip());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static Path script() {
    Path folder = Path.of("").toAbsolutePath();
    while (folder != null && !Files.exists(folder.resolve(".ci/agents"))) {
      folder = folder.getParent();
    }
    if (folder == null) {
      throw new IllegalStateException("no .ci/agents above the working directory");
    }
    return folder.resolve(".ci/agents");
  }
}
