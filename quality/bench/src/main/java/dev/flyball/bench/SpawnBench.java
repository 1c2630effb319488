package dev.flyball.bench;

import dev.flyball.containment.CannotStart;
import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.Containment;
import dev.flyball.containment.Containment.Level;
import dev.flyball.containment.ContainmentSettings;
import dev.flyball.containment.Launch;
import dev.flyball.containment.probe.ContainmentProbe;
import dev.flyball.containment.session.ProcessStart;
import dev.flyball.containment.session.Spawner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What each containment adds to the start of an agent, beside a bare process; in turns of any
 * order, so that whatever else happens on the machine meets all of them.
 */
final class SpawnBench implements Bench {
  private static final int ROUNDS = 50;
  private static final int WARM_UP = 5;
  private static final int LIVE = 8;
  private static final int CPU_ROUNDS = 10;

  /** In each round, because the kernel counts CPU in steps of 10 ms. */
  private static final int STARTS = 100;

  private static final Duration LIFE = Duration.ofMinutes(1);
  private static final List<String> AGENT = List.of("/bin/echo", "x");

  /** What the warden in C may add to a start at levels A and B. */
  private static final double MOST_RATIO = 1.8;

  @Override
  public String name() {
    return "spawn";
  }

  /** Milliseconds from the call to the agent's first byte, and to its reported end. */
  private record Times(List<Double> first, List<Double> end) {
    Times() {
      this(new ArrayList<>(), new ArrayList<>());
    }
  }

  private interface Start {
    void once(Times times) throws Exception;
  }

  private record Way(String name, Start start, Times times) {
    Way(String name, Start start) {
      this(name, start, new Times());
    }
  }

  @Override
  public void run(Place place) throws Exception {
    // First: at level B this JVM becomes the parent of orphans, whose CPU would count too.
    cpu(place.folder());
    var bare = new Way("bare", SpawnBench::bare);
    var ways = new ArrayList<Way>(List.of(bare));
    var held = new ArrayList<Held>();
    for (String name : List.of("A", "B", "A+", "A by shells")) {
      Held one = held(name, place.folder());
      if (one != null) {
        held.add(one);
        ways.add(new Way(one.name(), into -> contained(one.containment(), one.folder(), into)));
      }
    }
    var turns = new ArrayList<Way>(ways);
    var order = new Random(1);
    for (int round = 0; round < ROUNDS + WARM_UP; round++) {
      // A move into a control group waits for the kernel unless another one came just before it.
      Collections.shuffle(turns, order);
      for (Way way : turns) {
        way.start().once(round < WARM_UP ? new Times() : way.times());
      }
    }
    for (Way way : ways) {
      System.out.printf(
          Locale.ROOT,
          "   %-11s until the agent speaks: %s%n",
          way.name(),
          spread(way.times().first()));
      System.out.printf(
          Locale.ROOT,
          "   %-11s until it has ended:     %s%n",
          way.name(),
          spread(way.times().end()));
    }
    for (Held one : held) {
      memory(one, place.folder());
    }
    for (Way way : ways) {
      if (way.name().equals("A") || way.name().equals("B")) {
        Gate.atMost(
            MOST_RATIO, median(way) / median(bare), "ratio of medians, " + way.name() + " to bare");
      }
    }
  }

  private record Held(String name, Containment containment, Path folder) {}

  /** A level by the warden in C, or A by shells; null if it is not here. */
  private static @Nullable Held held(String name, Path place) throws IOException {
    Path folder = Files.createDirectory(place.resolve(name.replace(' ', '-')));
    var settings = ContainmentSettings.in(folder);
    Level level =
        switch (name) {
          case "A+" -> Level.A_PLUS;
          case "B" -> Level.B;
          default -> Level.A;
        };
    try {
      var found =
          ContainmentProbe.strongest(
              name.endsWith("by shells") ? settings.withoutWarden() : settings, level, level);
      return new Held(name, found.containment(), folder);
    } catch (CannotStart e) {
      System.out.printf(Locale.ROOT, "   %-11s not here: %s%n", name, e.getMessage());
      return null;
    }
  }

  /** CPU of one start of a program that leads a kernel session, until it was reaped. */
  private static void cpu(Path folder) throws IOException, InterruptedException {
    var setsid = new ArrayList<String>(List.of("/usr/bin/setsid"));
    setsid.addAll(AGENT);
    Path nothing = Path.of("/dev/null");
    Starts builder =
        () -> Spawner.start(new ProcessBuilder(setsid).redirectInput(nothing.toFile())::start);
    Starts spawn = () -> Spawner.start(new ProcessStart(AGENT, Map.of(), folder, nothing));
    var builders = new ArrayList<Double>();
    var spawns = new ArrayList<Double>();
    for (int round = 0; round < CPU_ROUNDS + 1; round++) {
      double byBuilder = cpuOfAStart(builder);
      double bySpawn = cpuOfAStart(spawn);
      if (round > 0) {
        builders.add(byBuilder);
        spawns.add(bySpawn);
      }
    }
    System.out.printf(
        Locale.ROOT,
        "   CPU of a start: ProcessBuilder and setsid %s%n   CPU of a start: posix_spawn %s%n",
        Figures.of("ms", builders),
        Figures.of("ms", spawns));
  }

  private interface Starts {
    Process once() throws IOException;
  }

  private static double cpuOfAStart(Starts starts) throws IOException, InterruptedException {
    long self = ProcessHandle.current().pid();
    double before = Proc.cpuSecondsWithChildren(self);
    for (int i = 0; i < STARTS; i++) {
      Process process = starts.once();
      process.getInputStream().read();
      process.waitFor();
    }
    return (Proc.cpuSecondsWithChildren(self) - before) * 1000 / STARTS;
  }

  private static double median(Way way) {
    return Figures.of("ms", way.times().first()).median();
  }

  private static void bare(Times into) throws IOException, InterruptedException {
    long before = System.nanoTime();
    Process process = new ProcessBuilder(AGENT).start();
    process.getInputStream().read();
    into.first().add((System.nanoTime() - before) / 1e6);
    process.waitFor();
    into.end().add((System.nanoTime() - before) / 1e6);
  }

  private static void contained(Containment containment, Path folder, Times into) throws Exception {
    long before = System.nanoTime();
    ContainedProcess process = containment.start(launch(folder, AGENT), LIFE);
    process.out().read();
    into.first().add((System.nanoTime() - before) / 1e6);
    process.onExit().get(1, TimeUnit.MINUTES);
    into.end().add((System.nanoTime() - before) / 1e6);
    process.kill(KillLadder.now(Duration.ofSeconds(10)));
  }

  /** Of the outermost process alone; what level A has below it are two shells' worth more. */
  private static void memory(Held held, Path folder) throws IOException {
    var live = new ArrayList<ContainedProcess>();
    var resident = new ArrayList<Double>();
    var proportional = new ArrayList<Double>();
    try {
      for (int i = 0; i < LIVE; i++) {
        ContainedProcess process =
            held.containment()
                .start(launch(folder, List.of("/bin/sh", "-c", "echo x; sleep 60")), LIFE);
        live.add(process);
        process.out().read();
      }
      for (ContainedProcess process : live) {
        resident.add(Proc.megabytes(process.identity().pid(), "VmRSS"));
        proportional.add(Proc.proportional(process.identity().pid()));
      }
    } finally {
      live.parallelStream().forEach(one -> one.kill(KillLadder.now(Duration.ofSeconds(10))));
    }
    System.out.printf(
        Locale.ROOT,
        "   %-11s outermost process: resident %s, proportional %s%n",
        held.name(),
        Figures.of("MB", resident),
        Figures.of("MB", proportional));
  }

  private static Launch launch(Path folder, List<String> command) {
    return new Launch(
        UUID.randomUUID().toString(), command, Map.of("PATH", "/usr/bin:/bin"), folder, "");
  }

  private static String spread(List<Double> values) {
    var figures = Figures.of("ms", values);
    return String.format(Locale.ROOT, "%s, p90 %.3g", figures, figures.at(90));
  }
}
