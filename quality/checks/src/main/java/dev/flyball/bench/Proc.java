package dev.flyball.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What /proc says about a process. */
final class Proc {
  /** Clock ticks a second; 100 on every Linux that matters. */
  private static final double TICKS = 100.0;

  private Proc() {}

  static String loadAverage() {
    return read(Path.of("/proc/loadavg")).strip();
  }

  /** Resident megabytes: {@code VmRSS} now, {@code VmHWM} at its peak. */
  static double megabytes(long pid, String field) {
    return read(Path.of("/proc/" + pid + "/status"))
        .lines()
        .filter(line -> line.startsWith(field + ":"))
        .mapToDouble(line -> Double.parseDouble(line.replaceAll("\\D+", "")) / 1024)
        .findFirst()
        .orElse(0);
  }

  /** CPU seconds used so far, user and system. */
  static double cpuSeconds(long pid) {
    return cpuSeconds(pid, 2);
  }

  /** The same, and that of its children that were reaped. */
  static double cpuSecondsWithChildren(long pid) {
    return cpuSeconds(pid, 4);
  }

  /** The same of a thread by its folder below task; 0 if it has ended. */
  static double cpuSeconds(Path thread) {
    try {
      return cpuSeconds(Files.readString(thread.resolve("stat")), 2);
    } catch (IOException e) {
      return 0;
    }
  }

  /** A thread's name, by its folder below task; empty if it has ended. */
  static String threadName(Path thread) {
    try {
      return Files.readString(thread.resolve("comm")).strip();
    } catch (IOException e) {
      return "";
    }
  }

  private static double cpuSeconds(long pid, int fields) {
    return cpuSeconds(read(Path.of("/proc/" + pid + "/stat")), fields);
  }

  private static double cpuSeconds(String stat, int fields) {
    return Stream.of(stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1))
            .skip(11)
            .limit(fields)
            .mapToLong(Long::parseLong)
            .sum()
        / TICKS;
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
