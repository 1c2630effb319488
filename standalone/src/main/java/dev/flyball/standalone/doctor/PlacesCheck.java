package dev.flyball.standalone.doctor;

import dev.flyball.producer.SourceConfig;
import dev.flyball.runner.agent.AgentName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Folders and files that the configuration names: data folder, repository, agent, sources. */
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

  static Finding agent(AgentName agent, Map<String, String> environment) {
    return switch (agent) {
      case AgentName.Scout scout -> Finding.ok("agent", "scout: bundled, no model, costs nothing");
      case AgentName.Command command -> command(command.program(), environment);
    };
  }

  static List<Finding> sources(List<SourceConfig> sources) {
    return sources.stream().map(PlacesCheck::source).toList();
  }

  private static Finding command(String program, Map<String, String> environment) {
    List<Path> candidates =
        program.contains("/")
            ? List.of(Path.of(program))
            : Stream.of(environment.getOrDefault("PATH", "").split(":"))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, program))
                .toList();
    if (candidates.stream().noneMatch(Files::isRegularFile)) {
      return Finding.unhealthy(
          "agent", program + " is not there", "correct sessions.agent, or install it");
    }
    return candidates.stream()
            .anyMatch(file -> Files.isRegularFile(file) && Files.isExecutable(file))
        ? Finding.ok("agent", program)
        : Finding.unhealthy("agent", program + " is not executable", "chmod +x " + program);
  }

  private static Finding source(SourceConfig source) {
    return switch (source) {
      case SourceConfig.Jsonl file ->
          Files.isRegularFile(file.path()) && Files.isReadable(file.path())
              ? Finding.ok("source " + file.key(), file.path().toString())
              : Finding.degraded(
                  "source " + file.key(),
                  file.path() + " cannot be read",
                  "put the file there, or correct its path");
    };
  }
}
