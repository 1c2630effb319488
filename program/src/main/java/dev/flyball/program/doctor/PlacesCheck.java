package dev.flyball.program.doctor;

import dev.flyball.broker.BrokerConfig;
import dev.flyball.runner.Checkouts;
import dev.flyball.runner.Repositories;
import dev.flyball.runner.repository.MirrorLimits;
import dev.flyball.runner.repository.MirrorRepository;
import dev.flyball.runner.repository.RemoteBranch;
import dev.flyball.runner.repository.RepositoryAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

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
    return Finding.ok("data", folder + ", " + free / MIB + " MB free")
        .unhealthyIf(
            free < BrokerConfig.MIN_FREE_BYTES,
            "the disk is full: the embedded Kafka needs "
                + BrokerConfig.MIN_FREE_BYTES / MIB
                + " MB to start; free space there or use another folder with --data")
        .degradedIf(free < NEEDED, "free some space: Kafka stops on a full disk");
  }

  /** Findings for the repositories that agents read: the usual one, and those of sources. */
  static List<Finding> repositories(Repositories all, Map<String, String> environment) {
    var findings = new ArrayList<Finding>();
    findings.add(
        repository("repository", all.usual(), "sessions.repo", all.fetches(), environment));
    new TreeMap<>(all.bySource())
        .forEach((source, own) -> {
          if (!own.equals(all.usual())) {
            findings.add(
                repository(
                    "repository " + source,
                    own,
                    "repo or branch of the source",
                    all.fetches(),
                    environment));
          }
        });
    return findings;
  }

  private static Finding repository(
      String check,
      Repositories.OfSource own,
      String key,
      MirrorLimits limits,
      Map<String, String> environment) {
    return switch (own.address()) {
      case RepositoryAddress.Folder folder -> folder(check, folder.path(), own.branch(), key);
      case RepositoryAddress.Url url ->
          remote(check, new RemoteBranch(url, own.branch(), own.token()), key, limits, environment);
    };
  }

  private static Finding remote(
      String check,
      RemoteBranch branch,
      String key,
      MirrorLimits limits,
      Map<String, String> environment) {
    try {
      String commit = MirrorRepository.newest(branch, limits, environment);
      return Finding.ok(check, branch.address() + " at " + commit.substring(0, 10));
    } catch (IOException e) {
      return Finding.unhealthy(
          check,
          branch.address() + " cannot be fetched: " + e.getMessage(),
          "correct " + key + ", or check the network");
    }
  }

  private static Finding folder(String check, Path folder, Optional<String> branch, String key) {
    if (!Files.isDirectory(folder) || !Files.isReadable(folder)) {
      return Finding.unhealthy(check, folder + " is no readable folder", "correct " + key);
    }
    if (branch.isEmpty()) {
      return Files.exists(folder.resolve(".git"))
          ? Finding.ok(check, folder.toString())
          : Finding.ok(check, folder + " (no .git here: analyses name no commit)");
    }
    try {
      String commit = Checkouts.commitOf(folder, branch.get());
      return Finding.ok(
          check, folder + ", branch " + branch.get() + " at " + commit.substring(0, 10));
    } catch (IOException e) {
      return Finding.unhealthy(check, String.valueOf(e.getMessage()), "correct " + key);
    }
  }
}
