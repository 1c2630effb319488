package dev.flyball.runner.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * One session's control groups.
 *
 * @param main the one of the v2 tree, which can be killed as a whole
 * @param all that a process of the session joins, the main one first
 */
record CgroupLeaf(Path main, List<Path> all) {
  CgroupLeaf {
    all = List.copyOf(all);
  }

  /** Kills everything in it, at once and whatever it does (cgroup.kill, Linux 5.14). */
  void kill() {
    try {
      Files.writeString(main.resolve("cgroup.kill"), "1");
    } catch (IOException e) {
      // Removed already, or an older kernel: the namespace's end is the other way.
    }
  }

  /** Pids of live processes in it; zombies are not counted by the kernel's file. */
  List<Integer> pids() {
    try {
      return Files.readAllLines(main.resolve("cgroup.procs")).stream()
          .map(Integer::valueOf)
          .toList();
    } catch (IOException e) {
      return List.of();
    }
  }

  /** Removes what is empty; the rest is left for the next start. */
  void remove() {
    all.forEach(CgroupLeaf::remove);
  }

  static void remove(Path group) {
    try {
      Files.deleteIfExists(group);
    } catch (IOException e) {
      // Still holds a process: it is found by other means, and its group at the next start.
    }
  }
}
