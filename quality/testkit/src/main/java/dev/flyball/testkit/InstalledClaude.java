package dev.flyball.testkit;

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
    return InstalledProgram.by(".ci/agents");
  }
}
