package dev.flyball.bench;

import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.Containment;
import dev.flyball.containment.Containment.Level;
import dev.flyball.containment.ContainmentSettings;
import dev.flyball.containment.Launch;
import dev.flyball.containment.probe.ContainmentProbe;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/**
 * CPU of counting the trees of 16 sessions once a second each, as their threads do it: from one
 * reading of /proc that all share, and beside it with a reading for each.
 */
final class SnapshotBench implements Bench {
  private static final int SESSIONS = 16;
  private static final int LOOKS = 20;
  private static final Duration EVERY = Duration.ofSeconds(1);
  private static final Duration LIFE = Duration.ofMinutes(5);

  /** Eight processes to each tree. */
  private static final List<String> AGENT =
      List.of("/bin/sh", "-c", "for i in 1 2 3 4 5 6; do sleep 300 & done; echo x; wait");

  /**
   * One of 16 and what a look costs beside the reading; a third is a runner that does not share.
   */
  private static final double MOST_RATIO = 0.4;

  @Override
  public String name() {
    return "snapshot";
  }

  @Override
  public void run(Place place) throws Exception {
    Path folder = Files.createDirectory(place.folder().resolve("snapshot"));
    Containment containment =
        ContainmentProbe.strongest(ContainmentSettings.in(folder), Level.B, Level.A).containment();
    List<ContainedProcess> live = start(containment, folder);
    try {
      // The compiler's warm-up is not part of it.
      looks(live, Duration.ZERO, Duration.ofMillis(20));
      double shared = looks(live, EVERY, EVERY);
      double alone = looks(live, Duration.ZERO, EVERY);
      System.out.printf(
          Locale.ROOT,
          "   level %s, %d sessions, %d processes on the machine: %.2f %% of one core; with a"
              + " reading for each session %.2f %%%n",
          containment.level().label(),
          SESSIONS,
          processes(),
          shared,
          alone);
      Gate.atMost(MOST_RATIO, shared / alone, "CPU of a shared reading to one for each session");
    } finally {
      live.parallelStream().forEach(one -> one.kill(KillLadder.now(Duration.ofSeconds(10))));
    }
  }

  private static List<ContainedProcess> start(Containment containment, Path folder)
      throws IOException {
    var live = new ArrayList<ContainedProcess>();
    for (int i = 0; i < SESSIONS; i++) {
      ContainedProcess process =
          containment.start(
              new Launch(
                  UUID.randomUUID().toString(), AGENT, Map.of("PATH", "/usr/bin:/bin"), folder, ""),
              LIFE);
      live.add(process);
      process.out().read();
    }
    return live;
  }

  /** Percent of one core that all readings took, each session's on a separate thread. */
  private static double looks(List<ContainedProcess> live, Duration age, Duration every)
      throws Exception {
    long began = System.nanoTime();
    double cpu = 0;
    try (var threads = Executors.newFixedThreadPool(live.size())) {
      var looking = new ArrayList<Future<Long>>();
      for (int i = 0; i < live.size(); i++) {
        ContainedProcess process = live.get(i);
        Duration first = every.multipliedBy(i).dividedBy(live.size());
        Callable<Long> one = () -> looked(process, age, every, first);
        looking.add(threads.submit(one));
      }
      for (Future<Long> each : looking) {
        cpu += each.get();
      }
    }
    return 100 * cpu / (System.nanoTime() - began);
  }

  /** CPU nanoseconds of this thread for all its looks. */
  private static long looked(
      ContainedProcess process, Duration age, Duration every, Duration first) {
    var threads = ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadCpuTime();
    LockSupport.parkNanos(first.toNanos());
    for (int i = 0; i < LOOKS; i++) {
      process.sample(age);
      LockSupport.parkNanos(every.toNanos());
    }
    return threads.getCurrentThreadCpuTime() - before;
  }

  private static long processes() throws IOException {
    try (var all = Files.list(Path.of("/proc"))) {
      return all.filter(each -> each.getFileName().toString().matches("[0-9]+")).count();
    }
  }
}
