package dev.flyball.containment.cgroup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * One session's control groups.
 *
 * @param main the group of the v2 tree, which can be killed as a whole
 * @param all the groups that a process of the session joins, the main one first
 */
public record CgroupLeaf(Path main, List<Path> all) {
  public CgroupLeaf {
    all = List.copyOf(all);
  }

  /**
   * Kills every process in the group, immediately and whatever it does (cgroup.kill, Linux 5.14).
   */
  public void kill() {
    try {
      Files.writeString(main.resolve("cgroup.kill"), "1");
    } catch (IOException e) {
      // Removed already, or an older kernel: the end of the namespace kills the tree instead.
    }
  }

  /** Pids of live processes in the group; the kernel's file lists no zombies. */
  public List<Integer> pids() {
    try {
      return Files.readAllLines(main.resolve("cgroup.procs")).stream()
          .map(Integer::valueOf)
          .toList();
    } catch (IOException e) {
      return List.of();
    }
  }

  /** Removes the groups that are empty; the next start removes the rest. */
  public void remove() {
    all.forEach(CgroupLeaf::remove);
  }

  static void remove(Path group) {
    try {
      Files.deleteIfExists(group);
    } catch (IOException e) {
      // The group still holds a process. The process is found by other means, and the group is
      // removed at the next start.
    }
  }
}
