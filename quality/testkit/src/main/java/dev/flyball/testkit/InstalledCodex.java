package dev.flyball.testkit;

import java.nio.file.Path;

/** The real codex, which {@code .ci/agents} installs once for a machine. */
public final class InstalledCodex {
  private InstalledCodex() {}

  /**
   * Its path.
   *
   * @throws IllegalStateException if it is missing and cannot be installed: a test that needs it
   *     fails, and is never skipped
   */
  public static Path path() {
    return InstalledProgram.by(".ci/agents", "codex");
  }
}
