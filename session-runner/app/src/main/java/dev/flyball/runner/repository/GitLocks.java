package dev.flyball.runner.repository;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Lock files that a git process left behind, for example because it was killed. Git writes nothing
 * in that repository until a person has removed them: it cannot know that their owner has ended.
 */
public final class GitLocks {
  private static final Path PROCESSES = Path.of("/proc");

  private GitLocks() {}

  /**
   * The lock files directly below {@code .git} that no process has open, as far as this user can
   * see.
   *
   * @param after only those that were written after this
   * @param before only those that were written before this
   */
  public static List<Path> left(Path repository, Instant after, Instant before) {
    List<Path> locks;
    try (Stream<Path> files = Files.list(repository.resolve(".git"))) {
      locks =
          files
              .filter(file -> file.toString().endsWith(".lock"))
              .filter(file -> within(file, after, before))
              .sorted()
              .toList();
    } catch (IOException e) {
      // No repository, or one whose .git is a file: there is nothing to report.
      return List.of();
    }
    if (locks.isEmpty()) {
      return locks;
    }
    Set<Path> open = open();
    return locks.stream().filter(lock -> !open.contains(real(lock))).toList();
  }

  private static boolean within(Path file, Instant after, Instant before) {
    try {
      Instant written = Files.getLastModifiedTime(file).toInstant();
      return written.isAfter(after) && written.isBefore(before);
    } catch (IOException e) {
      return false;
    }
  }

  private static Path real(Path file) {
    try {
      return file.toRealPath();
    } catch (IOException e) {
      return file;
    }
  }

  private static Set<Path> open() {
    var all = new HashSet<Path>();
    try (Stream<Path> processes = Files.list(PROCESSES)) {
      processes.map(process -> process.resolve("fd")).forEach(folder -> addAll(all, folder));
    } catch (IOException e) {
      // No /proc: whether a lock is in use is unknown.
      return all;
    }
    return all;
  }

  private static void addAll(Set<Path> all, Path folder) {
    try (Stream<Path> descriptors = Files.list(folder)) {
      for (Path each : descriptors.toList()) {
        all.add(Files.readSymbolicLink(each));
      }
    } catch (IOException e) {
      // No process, another user's, or one that ended meanwhile.
    }
  }
}
