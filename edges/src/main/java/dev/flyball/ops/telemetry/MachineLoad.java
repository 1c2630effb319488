package dev.flyball.ops.telemetry;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The load of the machine.
 *
 * @param averages over 1, 5 and 15 minutes; only the first where the system gives no more; empty
 *     where it gives none
 * @param cpus processors of the machine, also in a container that may use only some of them: the
 *     load is the machine's, too
 */
public record MachineLoad(List<Double> averages, int cpus) {
  /** More runnable threads per processor are an overload; the incident had 14. */
  public static final double OVERRUN = 2.0;

  /** What an overload means, and what helps. */
  public static final String HELP =
      "sessions that run go on, new ones start one by one until it falls; end other programs that"
          + " cause it (the machine's `top` lists them), or lower the cap";

  private static final Path PROC = Path.of("/proc");

  public MachineLoad {
    averages = List.copyOf(averages);
  }

  /** The current load. */
  public static MachineLoad now() {
    return in(PROC);
  }

  /** The current load by the files of this folder, {@code /proc} or one like it. */
  public static MachineLoad in(Path proc) {
    return new MachineLoad(averages(proc), processors(proc));
  }

  /** Those that this JVM may use where {@code /proc} has no count. */
  private static int processors(Path proc) {
    try (Stream<String> lines = Files.lines(proc.resolve("stat"))) {
      long counted = lines.filter(line -> line.matches("cpu\\d+ .*")).count();
      return counted > 0 ? Math.toIntExact(counted) : Runtime.getRuntime().availableProcessors();
    } catch (IOException | UncheckedIOException notLinux) {
      return Runtime.getRuntime().availableProcessors();
    }
  }

  /** Whether the load of the last minute was above {@link #OVERRUN}. */
  public boolean overrun() {
    return !averages.isEmpty() && averages.getFirst() > OVERRUN * cpus;
  }

  private static List<Double> averages(Path proc) {
    try {
      return Stream.of(Files.readString(proc.resolve("loadavg")).split(" "))
          .limit(3)
          .map(Double::valueOf)
          .toList();
    } catch (IOException | NumberFormatException notLinux) {
      double one = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
      return one < 0 ? List.of() : List.of(one);
    }
  }
}
