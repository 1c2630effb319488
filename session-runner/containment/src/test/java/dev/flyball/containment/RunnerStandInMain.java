package dev.flyball.containment;

import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.Containment.Level;
import dev.flyball.containment.kernel.Kernel;
import dev.flyball.containment.probe.ContainmentProbe;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Scanner;
import java.util.concurrent.locks.LockSupport;

/**
 * A runner reduced to its processes, to be killed, frozen and stopped by tests. Arguments: data
 * folder, level or "strongest", the deadman's life in milliseconds, number of sessions, whether
 * there may be a warden in C, then the agent. Prints "level X", "session S" for each, "ready"; or
 * "refused" and why. Then obeys its standard input: "cancel", "timeout" and "drain" as the runner
 * does, each answered by "survivors N".
 */
final class RunnerStandInMain {
  private static final Duration VERIFY = Duration.ofSeconds(10);
  private static final Duration GRACE = Duration.ofMillis(300);
  private static final KillLadder TERM = new KillLadder(Duration.ZERO, GRACE, VERIFY);
  private static final KillLadder INT = new KillLadder(GRACE, GRACE, VERIFY);

  private RunnerStandInMain() {}

  private static void obey(List<ContainedProcess> sessions) {
    var commands = new Scanner(System.in, StandardCharsets.US_ASCII);
    while (commands.hasNextLine()) {
      String command = commands.nextLine();
      KillLadder ladder = command.equals("timeout") ? INT : TERM;
      int survivors = sessions.parallelStream().mapToInt(one -> one.kill(ladder).survivors()).sum();
      System.out.println("survivors " + survivors);
      if (command.equals("drain")) {
        System.exit(0);
      }
    }
  }

  private static Containment containment(String level, ContainmentSettings settings)
      throws IOException {
    return switch (level) {
      case "strongest" -> ContainmentProbe.strongest(settings, Level.B, Level.A_PLUS).containment();
      default ->
          ContainmentProbe.strongest(settings, Level.valueOf(level), Level.valueOf(level))
              .containment();
    };
  }

  public static void main(String[] args) throws Exception {
    Kernel.hideFromSameUser();
    Path folder = Path.of(args[0]);
    var life = Duration.ofMillis(Long.parseLong(args[2]));
    var settings = ContainmentSettings.in(folder).withTick(Duration.ofMillis(50));
    if (!Boolean.parseBoolean(args[4])) {
      settings = settings.withoutWarden();
    }
    Containment containment;
    try {
      containment = containment(args[1], settings);
    } catch (CannotStart e) {
      System.out.println("refused " + e.getMessage());
      return;
    }
    System.out.println("level " + containment.level().label());
    var sessions = new ArrayList<ContainedProcess>();
    for (int i = 0; i < Integer.parseInt(args[3]); i++) {
      String id = folder.getFileName() + "-" + i;
      var launch =
          new Launch(
              id,
              List.of(args).subList(5, args.length),
              Map.of("PATH", "/usr/bin:/bin"),
              folder,
              "");
      ContainedProcess process = containment.start(launch, life);
      sessions.add(process);
      process.out().readNBytes(6);
      System.out.println(
          "session " + id + " " + process.identity().pid() + " " + process.identity().startTicks());
    }
    Runtime.getRuntime()
        .addShutdownHook(
            Thread.ofPlatform()
                .unstarted(() -> sessions.parallelStream().forEach(one -> one.kill(TERM))));
    // As the runner does: what an agent leaves behind ends with it.
    sessions.forEach(one -> {
      var _ = one.onExit().thenRunAsync(() -> one.kill(KillLadder.now(VERIFY)));
    });
    System.out.println("ready");
    Thread.ofPlatform().daemon().start(() -> obey(sessions));
    while (true) {
      LockSupport.parkNanos(life.dividedBy(4).toNanos());
      sessions.forEach(one -> one.extendTo(BootClock.sinceBoot().plus(life)));
    }
  }
}
