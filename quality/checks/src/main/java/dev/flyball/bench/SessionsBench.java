package dev.flyball.bench;

import dev.flyball.containment.AgentNetwork;
import dev.flyball.containment.Containment.Level;
import dev.flyball.runner.RunnerConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * 1000 sessions that do nothing at cap 4, beside a bare ProcessBuilder pool of 4 in the same run;
 * target ratio 0.25.
 */
final class SessionsBench implements Bench {
  private static final int SESSIONS = 1_000;

  /** Sessions before the measured ones: a runner lives for weeks, its first seconds say little. */
  private static final int WARM_UP = 1_000;

  /** Half of the lowest that is seen on two quiet cores, 0.19. */
  private static final double LEAST_RATIO = 0.09;

  @Override
  public String name() {
    return "sessions";
  }

  @Override
  public void run(Place place) throws Exception {
    Path agent = Pool.program(place.folder(), "#!/bin/sh\necho done\n");
    for (Level level : List.of(Level.A_PLUS, Level.A, Level.B)) {
      at(level, AgentNetwork.HOST, agent, place);
    }
    at(Level.A_PLUS, AgentNetwork.NONE, agent, place);
  }

  private static void at(Level level, AgentNetwork network, Path agent, Place place)
      throws Exception {
    String name = level.label() + (network == AgentNetwork.NONE ? ", no network" : "");
    Path folder = Files.createDirectory(place.folder().resolve(level.name() + network));
    var confinement = new RunnerConfig.Confinement(level, level, Optional.empty(), network);
    double bare = bare(agent);
    try (var pool = new Pool(folder, agent, confinement, Pool.SELDOM)) {
      ours(pool, 0, WARM_UP);
      var cpu = CpuByPart.since(pool.brokerPid());
      double ours = ours(pool, WARM_UP, SESSIONS);
      cpu.print(SESSIONS);
      System.out.printf(
          Locale.ROOT,
          "   bare pool of %d: %.0f/s; %s, fenced and recorded: %.1f/s; ratio %.3f (target 0.25)%n",
          Pool.CAP,
          bare,
          name,
          ours,
          ours / bare);
      Gate.atLeast(LEAST_RATIO, ours / bare, "ratio to the bare pool, " + name);
    }
  }

  /** Sessions per second. */
  private static double ours(Pool pool, int first, int sessions) {
    long before = System.nanoTime();
    pool.requests(first, sessions);
    pool.awaitReleases(sessions, Duration.ofMinutes(10));
    return sessions / ((System.nanoTime() - before) / 1e9);
  }

  private static double bare(Path agent) throws Exception {
    long before = System.nanoTime();
    try (var threads = Executors.newFixedThreadPool(Pool.CAP)) {
      var running = new ArrayList<Future<Integer>>();
      for (int i = 0; i < SESSIONS; i++) {
        running.add(
            threads.submit(() -> {
              Process process =
                  new ProcessBuilder(agent.toString()).redirectErrorStream(true).start();
              process.getOutputStream().close();
              process.getInputStream().readAllBytes();
              return process.waitFor();
            }));
      }
      for (Future<Integer> each : running) {
        each.get();
      }
    }
    return SESSIONS / ((System.nanoTime() - before) / 1e9);
  }
}
