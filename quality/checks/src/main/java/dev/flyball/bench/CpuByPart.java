package dev.flyball.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What CPU a session costs, by the part of the system that uses it. The kernel counts in steps of
 * 10 ms, so this needs hundreds of sessions.
 */
final class CpuByPart {
  /** What threads are called, as far as /proc shows a name: 15 characters. */
  private static final Map<String, List<String>> THREADS =
      Map.of(
          "JIT compilation", List.of("C1 Comp", "C2 Comp"),
          "garbage collection", List.of("VM Thread", "GC "),
          "ledger thread", List.of("flyball-ledger"),
          "start and reaping of processes", List.of("spawner", "process-"),
          "Kafka clients", List.of("kafka-"));

  private static final String REST = "the sessions' threads, journal, streams and all else";

  private final long broker;
  private final Map<String, Double> before;

  private CpuByPart(long broker) {
    this.broker = broker;
    this.before = read();
  }

  /** From now on, in this JVM, its sessions' processes and this broker. */
  static CpuByPart since(long broker) {
    return new CpuByPart(broker);
  }

  /** Prints milliseconds for each session since then. */
  void print(int sessions) {
    read()
        .forEach((part, seconds) ->
            System.out.printf(
                Locale.ROOT,
                "     %-52s %5.2f ms%n",
                part,
                (seconds - before.getOrDefault(part, 0.0)) * 1000 / sessions));
  }

  private Map<String, Double> read() {
    long self = ProcessHandle.current().pid();
    var parts = new LinkedHashMap<String, Double>();
    double own = Proc.cpuSeconds(self);
    parts.put("processes of sessions and their wardens", Proc.cpuSecondsWithChildren(self) - own);
    parts.put("broker", Proc.cpuSeconds(broker));
    double named = 0;
    for (Map.Entry<String, List<String>> each : THREADS.entrySet()) {
      double seconds = threads(self, each.getValue());
      parts.put(each.getKey(), seconds);
      named += seconds;
    }
    parts.put(REST, own - named);
    return parts;
  }

  private static double threads(long pid, List<String> prefixes) {
    try (var tasks = Files.list(Path.of("/proc/" + pid + "/task"))) {
      return tasks
          .filter(task -> prefixes.stream().anyMatch(Proc.threadName(task)::startsWith))
          .mapToDouble(Proc::cpuSeconds)
          .sum();
    } catch (IOException e) {
      return 0;
    }
  }
}
