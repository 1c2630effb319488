package dev.flyball.contract.docs;

import java.nio.file.Files;
import java.nio.file.Path;

/** Finds the repository's root from wherever the tests were started. */
final class RepositoryRoot {
  private RepositoryRoot() {}

  static Path find() {
    Path folder = Path.of("").toAbsolutePath();
    while (folder != null && !Files.exists(folder.resolve("ARCHITECTURE.md"))) {
      folder = folder.getParent();
    }
    if (folder == null) {
      throw new IllegalStateException("no ARCHITECTURE.md above " + Path.of("").toAbsolutePath());
    }
    return folder;
  }
}
