package dev.flyball.program.doctor;

import dev.flyball.ops.telemetry.MachineLoad;
import dev.flyball.runner.session.SessionLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

/** Checks processors, load, memory and JDK. */
final class MachineCheck {
  private static final Path MEMINFO = Path.of("/proc/meminfo");
  private static final int JDK = 25;
  private static final long MIB = 1 << 20;

  private MachineCheck() {}

  static List<Finding> all(double gateLoad, long gateMemory) {
    return List.of(jdk(), load(MachineLoad.now(), gateLoad), memory(available(), gateMemory));
  }

  static Finding load(MachineLoad load, double gateLoad) {
    String found = load.cpus() + " CPUs, load " + load.averages();
    if (load.overrun()) {
      return Finding.unhealthy(
          "load",
          found,
          "the load is above twice the CPUs: find the programs with the machine's `top`; lower the"
              + " cap only if ./flyball ps lists sessions, other programs do not obey it");
    }
    boolean busy =
        !load.averages().isEmpty() && load.averages().getFirst() > gateLoad * load.cpus();
    return busy
        ? Finding.degraded(
            "load",
            found,
            "a runner starts one session at most above "
                + gateLoad
                + " a CPU (gate.load); wait or raise it")
        : Finding.ok("load", found);
  }

  static Finding memory(OptionalLong available, long gateMemory) {
    if (available.isEmpty()) {
      return Finding.ok("memory", "this system does not say how much is available");
    }
    String found = available.getAsLong() / MIB + " MB available";
    return available.getAsLong() < gateMemory
        ? Finding.degraded(
            "memory",
            found,
            "a runner starts one session at most below "
                + gateMemory / MIB
                + " MB (gate.memory); free some or lower it")
        : Finding.ok("memory", found);
  }

  /**
   * Whether all slots fit into a container's memory; nothing where it has no limit. The kernel ends
   * a container that uses more as a whole.
   */
  static List<Finding> sessions(long container, SessionLimits session, int slots) {
    if (container == Long.MAX_VALUE) {
      return List.of();
    }
    long needed = session.containerBytes(slots);
    String found =
        slots
            + " slots of "
            + session.memoryBytes() / MIB
            + " MB and 1024 MB for the runner, of "
            + container / MIB
            + " MB of this container";
    return List.of(
        needed > container
            ? Finding.degraded(
                "session memory",
                found,
                "lower sessions.slots or sessions.memory, or raise the container's limit to "
                    + needed / MIB
                    + " MB")
            : Finding.ok("session memory", found));
  }

  private static Finding jdk() {
    String found = System.getProperty("java.vendor") + " " + Runtime.version();
    return Runtime.version().feature() >= JDK
        ? Finding.ok("jdk", found)
        : Finding.unhealthy("jdk", found, "install a JDK " + JDK + " or newer and set JAVA_HOME");
  }

  private static OptionalLong available() {
    try (Stream<String> lines = Files.lines(MEMINFO)) {
      return lines
          .filter(line -> line.startsWith("MemAvailable:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024)
          .findFirst();
    } catch (IOException notLinux) {
      return OptionalLong.empty();
    }
  }
}
