package dev.flyball.runner.gate;

import dev.flyball.ops.telemetry.MachineLoad;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Reads load, memory and pressure. On Linux it reads /proc. Where a file is missing the reading
 * never shuts the gate (macOS has no pressure, and the JVM knows its load).
 */
public final class MachineReadings {
  private static final Pattern AVAILABLE = Pattern.compile("(?m)^MemAvailable:\\s+(\\d+) kB");
  private static final Pattern RESIDENT = Pattern.compile("(?m)^VmRSS:\\s+(\\d+) kB");
  private static final Pattern SOME = Pattern.compile("(?m)^some avg10=([0-9.]+)");
  private static final Pattern FULL = Pattern.compile("(?m)^full avg10=([0-9.]+)");

  private final Path proc;
  private final MemoryLimit limit;

  /** Reads the real machine. */
  public MachineReadings() {
    this(Path.of("/proc"), MemoryLimit.ofThisContainer());
  }

  /** Reads a machine whose files are in this folder instead of /proc, those of a limit too. */
  public MachineReadings(Path proc) {
    this(proc, MemoryLimit.in(proc, "memory.max", "memory.current", "inactive_file"));
  }

  MachineReadings(Path proc, MemoryLimit limit) {
    this.proc = proc;
    this.limit = limit;
  }

  /** The memory limit of this container in bytes; {@code Long.MAX_VALUE} where there is none. */
  public static long containerMemoryBytes() {
    return MemoryLimit.ofThisContainer().bytes();
  }

  /**
   * The load of the machine.
   *
   * @param load1 load average over one minute, 0 if unknown
   * @param cpus processors
   * @param memoryAvailableBytes memory available without swapping, to this container where it is in
   *     one; {@code Long.MAX_VALUE} if unknown
   * @param pressurePercent worst of memory's {@code some} and I/O's {@code full} stall over 10 s; 0
   *     where unknown
   */
  public record Reading(
      double load1, int cpus, long memoryAvailableBytes, double pressurePercent) {}

  /** All readings, as of now. */
  public Reading now() {
    MachineLoad load = MachineLoad.in(proc);
    double one = load.averages().isEmpty() ? 0 : load.averages().getFirst();
    long available =
        Math.min(kilobytes(number("meminfo", AVAILABLE).orElse(Long.MAX_VALUE)), limit.leftBytes());
    double pressure =
        Math.max(number("pressure/memory", SOME).orElse(0), number("pressure/io", FULL).orElse(0));
    return new Reading(one, load.cpus(), available, pressure);
  }

  /** Resident memory of this process, 0 if unknown. */
  public long ownMemoryBytes() {
    return kilobytes(number("self/status", RESIDENT).orElse(0));
  }

  /** As bytes, at most {@code Long.MAX_VALUE}. */
  private static long kilobytes(double number) {
    return (long) (number * 1024);
  }

  /** The number that this row of a file has; empty if there is none. */
  private OptionalDouble number(String file, Pattern row) {
    try {
      Matcher found = row.matcher(Files.readString(proc.resolve(file)));
      return found.find()
          ? OptionalDouble.of(Double.parseDouble(found.group(1)))
          : OptionalDouble.empty();
    } catch (IOException e) {
      return OptionalDouble.empty();
    }
  }

  /**
   * What a container's memory limit leaves. {@code /proc/meminfo} shows the whole machine also
   * inside a container, whose limit would otherwise end an agent, or the runner, without a warning.
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
        // For no limit the second version writes "max", the first the largest multiple of a page.
        long bytes = Long.parseLong(Files.readString(limit).strip());
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
}
