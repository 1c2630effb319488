package dev.flyball.standalone.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Folders and files that the configuration names: data folder, repository. */
final class PlacesCheck {
  private static final long NEEDED = 256L << 20;
  private static final long MIB = 1 << 20;

  private PlacesCheck() {}

  static Finding data(Path folder) {
    Path existing = folder;
    while (!Files.exists(existing) && existing.getParent() != null) {
      existing = existing.getParent();
    }
    if (!Files.isDirectory(existing) || !Files.isWritable(existing)) {
      return Finding.unhealthy(
          "data",
          folder + " cannot be written",
          "make " + existing + " writable, or use another folder with --data");
    }
    try {
      long free = Files.getFileStore(existing).getUsableSpace();
      return free < NEEDED
          ? Finding.degraded(
              "data",
              folder + ", " + free / MIB + " MB free",
              "free some space: Kafka stops on a full disk")
          : Finding.ok("data", folder + ", " + free / MIB + " MB free");
    } catch (IOException e) {
      return Finding.unhealthy(
          "data", folder + ": " + e.getMessage(), "use another folder with --data");
    }
  }

  static Finding repository(Path folder) {
    if (!Files.isDirectory(folder) || !Files.isReadable(folder)) {
      return Finding.unhealthy(
          "repository", folder + " is no readable folder", "name one with --repo or sessions.repo");
    }
    return Files.exists(folder.resolve(".git"))
        ? Finding.ok("repository", folder.toString())
        : Finding.ok("repository", folder + " (no .git here: analyses name no commit)");
  }
}
