package dev.flyball.containment.namespace;

import dev.flyball.containment.CannotStart;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Finds where this machine allows new control groups: below the group that this process is in, of
 * the v2 tree, and for the limits that the v2 tree does not offer, of the v1 controllers.
 */
public final class Cgroups {
  private static final Path OWN = Path.of("/proc/self/cgroup");
  private static final Path MOUNTS = Path.of("/proc/self/mounts");

  /** What the unit of a runner names as its DelegateSubgroup. */
  private static final String SUBGROUP = "runner";

  /** Most tasks of a session; threads are tasks too, and runtimes of agents use far over 60. */
  private static final long TASKS = 1024;

  private final Path tree;
  private final String prefix;
  private final List<Place> places = new ArrayList<>();
  private final List<String> missing = new ArrayList<>();

  /** A group below which each session gets one, with these limits by file; 0 is none. */
  private record Place(Path root, Map<String, Long> limits) {}

  private Cgroups(Path tree, Path folder, long memoryBytes, List<String> own, List<String> mounts)
      throws IOException {
    this.tree = tree;
    this.prefix =
        "flyball-"
            + UUID.nameUUIDFromBytes(
                folder.toAbsolutePath().toString().getBytes(StandardCharsets.UTF_8))
            + ".";
    var limits = new LinkedHashMap<String, Long>();
    places.add(new Place(tree, limits));
    if (offers("pids")) {
      limits.put("pids.max", TASKS);
    } else {
      addOld("pids", Map.of("pids.max", TASKS), own, mounts);
    }
    if (offers("memory")) {
      limits.put("memory.max", memoryBytes);
      // The kernel kills all of a session or nothing of it: a session that loses one random tool
      // cannot go on.
      limits.put("memory.oom.group", memoryBytes > 0 ? 1L : 0L);
    } else {
      addOld("memory", Map.of("memory.limit_in_bytes", memoryBytes), own, mounts);
    }
    removeEmpty();
  }

  /**
   * Finds the control groups of this machine.
   *
   * @param folder the runner's folder, whose dead predecessors' empty groups are removed
   * @param memoryBytes most memory of a session, 0 for no limit
   * @throws CannotStart if there is no v2 tree, or this process may not write to it
   */
  public static Cgroups here(Path folder, long memoryBytes) throws IOException {
    List<String> own = Files.readAllLines(OWN);
    List<String> mounts = Files.readAllLines(MOUNTS);
    Path tree =
        place("0::", own, mount("cgroup2", "", mounts))
            .map(Cgroups::aboveSubgroup)
            .orElseThrow(() -> new CannotStart("cgroup", "no cgroup v2 tree is mounted"));
    if (!Files.isWritable(tree.resolve("cgroup.procs"))) {
      throw new CannotStart("cgroup", tree + " is not ours to write; delegate it");
    }
    return new Cgroups(tree, folder, memoryBytes, own, mounts);
  }

  /**
   * The group below which sessions get theirs. systemd's {@code DelegateSubgroup=runner} puts this
   * process into a group of that name below its unit's: then the unit's group, which holds no
   * process itself, may give its children limits. Any other group is used as it is.
   */
  static Path aboveSubgroup(Path own) {
    Path above = own.getParent();
    return above != null
            && own.endsWith(SUBGROUP)
            && Files.isWritable(above.resolve("cgroup.procs"))
        ? above
        : own;
  }

  /** The limits that no session gets, and why, one line each; empty if it gets all. */
  public List<String> missing() {
    return List.copyOf(missing);
  }

  /** Creates the control groups of a session, with their limits, empty. */
  Leaf leaf(String session) throws IOException {
    var all = new ArrayList<Path>();
    try {
      for (Place place : places) {
        Path group = Files.createDirectory(place.root().resolve(prefix + session));
        all.add(group);
        for (var limit : place.limits().entrySet()) {
          if (limit.getValue() > 0) {
            Files.writeString(group.resolve(limit.getKey()), limit.getValue().toString());
          }
        }
      }
      return new Leaf(all);
    } catch (IOException e) {
      new Leaf(all).remove();
      throw e;
    }
  }

  /** Whether leaves of the v2 tree may have this limit; tries to enable it. */
  private boolean offers(String controller) {
    try {
      if (!words(tree.resolve("cgroup.controllers")).contains(controller)) {
        return false;
      }
      Path children = tree.resolve("cgroup.subtree_control");
      if (!words(children).contains(controller)) {
        Files.writeString(children, "+" + controller);
      }
      return true;
    } catch (IOException e) {
      // A group that holds processes, this one included, gives its children no limits.
      return false;
    }
  }

  private static List<String> words(Path file) throws IOException {
    return List.of(Files.readString(file).strip().split(" "));
  }

  private void addOld(
      String controller, Map<String, Long> limits, List<String> own, List<String> mounts) {
    own.stream()
        .filter(line -> List.of(line.split(":", 3)[1].split(",")).contains(controller))
        .findFirst()
        .map(line -> line.substring(0, line.lastIndexOf(':') + 1))
        .flatMap(start -> place(start, own, mount("cgroup", controller, mounts)))
        .filter(group -> Files.isWritable(group.resolve("cgroup.procs")))
        .ifPresentOrElse(
            group -> places.add(new Place(group, limits)),
            () ->
                missing.add("no " + controller + " limit: " + tree + " is not delegated with it"));
  }

  /** The folder of this process's group, if visible: a container may show only another's. */
  private static Optional<Path> place(String start, List<String> own, Optional<Path> mount) {
    return own.stream()
        .filter(line -> line.startsWith(start))
        .map(line -> line.substring(start.length() + 1))
        .findFirst()
        .flatMap(path -> mount.map(root -> root.resolve(path)))
        .filter(Files::isDirectory);
  }

  private static Optional<Path> mount(String type, String option, List<String> mounts) {
    return mounts.stream()
        .map(line -> line.split(" "))
        .filter(fields -> fields[2].equals(type))
        .filter(fields -> option.isEmpty() || List.of(fields[3].split(",")).contains(option))
        .map(fields -> Path.of(fields[1]))
        .findFirst();
  }

  /** Removes groups of dead predecessors; the kernel keeps one that holds a process. */
  private void removeEmpty() throws IOException {
    for (Place place : places) {
      try (var left = Files.newDirectoryStream(place.root(), prefix + "*")) {
        left.forEach(Cgroups::remove);
      }
    }
  }

  private static void remove(Path group) {
    try {
      Files.deleteIfExists(group);
    } catch (IOException e) {
      // The group still holds a process. The process is found by other means, and the group is
      // removed at the next start.
    }
  }

  /**
   * One session's control groups.
   *
   * @param all the groups that a process of the session joins, first that of the v2 tree, which can
   *     be killed as a whole
   */
  record Leaf(List<Path> all) {
    Leaf {
      all = List.copyOf(all);
    }

    /** Kills every process in the group, whatever it does (cgroup.kill, Linux 5.14). */
    void kill() {
      try {
        Files.writeString(all.getFirst().resolve("cgroup.kill"), "1");
      } catch (IOException e) {
        // Removed already, or an older kernel: the end of the namespace kills the tree instead.
      }
    }

    /** Pids of live processes in the group; the kernel's file lists no zombies. */
    List<Integer> pids() {
      try {
        return Files.readAllLines(all.getFirst().resolve("cgroup.procs")).stream()
            .map(Integer::valueOf)
            .toList();
      } catch (IOException e) {
        return List.of();
      }
    }

    /** Removes the groups that are empty; the next start removes the rest. */
    void remove() {
      all.forEach(Cgroups::remove);
    }
  }
}
