package dev.flyball.runner.gate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * What a container's memory limit leaves. {@code /proc/meminfo} shows the whole machine also inside
 * a container, whose limit would otherwise end an agent, or the runner, without a warning.
 *
 * @param limit file with the limit in bytes, or the word {@code max}
 * @param used file with the bytes in use, with those of files that can be dropped
 * @param stat {@code memory.stat}
 * @param droppable the row of {@code memory.stat} with the bytes of files that can be dropped
 * @see <a href="https://docs.kernel.org/admin-guide/cgroup-v2.html">cgroup v2: memory</a>
 */
record MemoryLimit(Path limit, Path used, Path stat, String droppable) {
  private static final long UNLIMITED = 1L << 60;
  private static final Path GROUPS = Path.of("/sys/fs/cgroup");

  /** The limit of the group that is mounted as this process' own, of either version. */
  static MemoryLimit ofThisContainer() {
    return Files.exists(GROUPS.resolve("memory.max"))
        ? in(GROUPS, "memory.max", "memory.current", "inactive_file")
        : in(
            GROUPS.resolve("memory"),
            "memory.limit_in_bytes",
            "memory.usage_in_bytes",
            "total_inactive_file");
  }

  static MemoryLimit in(Path group, String limit, String used, String droppable) {
    return new MemoryLimit(
        group.resolve(limit), group.resolve(used), group.resolve("memory.stat"), droppable);
  }

  /** The limit in bytes; {@code Long.MAX_VALUE} where there is none. */
  long bytes() {
    try {
      String most = Files.readString(limit).strip();
      // The first version writes the largest multiple of a page for no limit.
      long bytes = most.equals("max") ? Long.MAX_VALUE : Long.parseLong(most);
      return bytes > UNLIMITED ? Long.MAX_VALUE : bytes;
    } catch (IOException | NumberFormatException unlimited) {
      return Long.MAX_VALUE;
    }
  }

  /** Bytes that can still be taken; {@code Long.MAX_VALUE} where nothing limits them. */
  long leftBytes() {
    long most = bytes();
    if (most == Long.MAX_VALUE) {
      return Long.MAX_VALUE;
    }
    try {
      long inUse = Long.parseLong(Files.readString(used).strip()) - droppableBytes();
      return Math.max(0, most - inUse);
    } catch (IOException | NumberFormatException unlimited) {
      return Long.MAX_VALUE;
    }
  }

  private long droppableBytes() throws IOException {
    try (Stream<String> rows = Files.lines(stat)) {
      return rows.filter(row -> row.startsWith(droppable + " "))
          .mapToLong(row -> Long.parseLong(row.substring(droppable.length() + 1)))
          .findFirst()
          .orElse(0);
    }
  }
}
