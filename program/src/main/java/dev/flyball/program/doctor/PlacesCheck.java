package dev.flyball.program.doctor;

import dev.flyball.broker.BrokerConfig;
import dev.flyball.program.config.ConfiguredSource;
import dev.flyball.runner.Checkouts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/** Checks folders and files that the configuration names: data folder, repository. */
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
      return space(folder, Files.getFileStore(existing).getUsableSpace());
    } catch (IOException e) {
      return Finding.unhealthy(
          "data", folder + ": " + e.getMessage(), "use another folder with --data");
    }
  }

  /** The free space of the data folder; the embedded broker's own limit makes it unhealthy. */
  static Finding space(Path folder, long free) {
    String found = folder + ", " + free / MIB + " MB free";
    if (free < BrokerConfig.MIN_FREE_BYTES) {
      return Finding.unhealthy(
          "data",
          found,
          "the disk is full: the embedded Kafka needs "
              + BrokerConfig.MIN_FREE_BYTES / MIB
              + " MB to start; free space there or use another folder with --data");
    }
    return free < NEEDED
        ? Finding.degraded("data", found, "free some space: Kafka stops on a full disk")
        : Finding.ok("data", found);
  }

  /** Findings for the repositories that sources name for their own items. */
  static List<Finding> repositories(List<ConfiguredSource> sources, Path usual) {
    return sources.stream()
        .filter(source -> !source.place().equals(ConfiguredSource.Place.USUAL))
        .map(source ->
            repository(source, Objects.requireNonNullElse(source.place().repository(), usual)))
        .toList();
  }

  private static Finding repository(ConfiguredSource source, Path folder) {
    String check = "repository " + source.source().key();
    if (!Files.isDirectory(folder) || !Files.isReadable(folder)) {
      return Finding.unhealthy(
          check, folder + " is no readable folder", "correct repo of the source");
    }
    String branch = source.place().branch();
    return branch == null ? Finding.ok(check, folder.toString()) : branch(check, folder, branch);
  }

  private static Finding branch(String check, Path folder, String branch) {
    try {
      String commit = Checkouts.commitOf(folder, branch);
      return Finding.ok(check, folder + ", branch " + branch + " at " + commit.substring(0, 10));
    } catch (IOException e) {
      return Finding.unhealthy(
          check, String.valueOf(e.getMessage()), "correct repo or branch of the source");
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
