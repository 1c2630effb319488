package dev.flyball.containment.supervisor;

import dev.flyball.containment.BootClock;
import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.Containment;
import dev.flyball.containment.ContainmentSettings;
import dev.flyball.containment.Launch;
import dev.flyball.containment.kill.Reaper;
import dev.flyball.containment.session.ContainedSession;
import dev.flyball.containment.session.Deadline;
import dev.flyball.containment.session.ProcessStart;
import dev.flyball.containment.session.SessionFiles;
import dev.flyball.containment.session.Spawner;
import dev.flyball.containment.session.Tools;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Level B: a supervisor for each session, a small JVM that becomes the parent of every descendant
 * that loses its own, and that holds the deadman's deadline. It needs only a Linux kernel and a
 * shell, so it works in containers that deny namespaces.
 *
 * <p>No process can leave the tree. But an agent of the same user can kill its supervisor; the
 * runner then adopts what is left.
 */
public final class SupervisedContainment implements Containment {
  private static final String PRELUDE = Tools.script(SupervisedContainment.class, "prelude.sh");
  private static final Duration TRAINING = Duration.ofSeconds(10);

  private final ContainmentSettings settings;
  private final Path jar;
  private final String sh;

  /**
   * Creates the supervisor's jar and, once for each folder, the archive of the classes that it
   * loads.
   */
  public SupervisedContainment(ContainmentSettings settings) throws IOException {
    SessionFiles.prepare(settings.folder());
    this.settings = settings;
    this.sh = Tools.need("sh");
    Orphans.adopt();
    // Absolute, because a supervisor works in its agent's directory.
    this.jar = SupervisorJar.in(settings.folder().toAbsolutePath());
    if (!Files.exists(SupervisorJar.archive(jar))) {
      train();
    }
  }

  @Override
  public String toString() {
    return "B";
  }

  @Override
  public Level level() {
    return Level.B;
  }

  @Override
  public ContainedProcess startUntil(Launch launch, Duration until) throws IOException {
    return start(launch, until, null);
  }

  /**
   * Starts a session.
   *
   * @param archive where the supervisor writes the classes that it loaded; null to read the
   *     existing archive
   */
  private ContainedProcess start(Launch launch, Duration until, @Nullable Path archive)
      throws IOException {
    launch.check();
    long end = BootClock.centisOf(until);
    var files = new SessionFiles(settings.folder().toAbsolutePath(), launch.session());
    var deadline = Deadline.in(files, end);
    try {
      files.writePrompt(launch.prompt());
      files.writeLaunch(
          LaunchFile.content(agent(launch, files.prompt(), end), launch.wholeEnvironment()));
      Process process =
          Spawner.start(
              new ProcessStart(
                  supervisor(files, archive), Map.of(), launch.directory(), deadline.file()));
      deadline.hide();
      Identity identity = Identity.of(process.pid());
      var tree = new SupervisedTree(launch.session(), process, identity, deadline);
      return new ContainedSession(process, identity, deadline, tree, files);
    } catch (IOException | RuntimeException | Error e) {
      // If a supervisor was started nevertheless, it ends whatever it has started.
      deadline.pass();
      deadline.close();
      files.remove();
      throw e;
    }
  }

  @Override
  public int cleared(String session, Duration limit) {
    return Reaper.reapStart(session, limit).survivors();
  }

  private List<String> agent(Launch launch, Path prompt, long end) {
    var command = new ArrayList<String>();
    command.addAll(
        List.of(sh, "-c", PRELUDE, "flyball-prelude", prompt.toString(), Long.toString(end)));
    command.addAll(launch.command());
    return command;
  }

  private List<String> supervisor(SessionFiles files, @Nullable Path archive) {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            // Little code runs more than a few times unless a tree must be ended: this saves a
            // fifth of the CPU.
            "-XX:CompileThresholdScaling=10",
            "-XX:-UsePerfData",
            "-XX:+DisableAttachMechanism",
            // It works in the agent's directory, which is no place for its crash reports.
            "-XX:ErrorFile=/dev/null",
            "-Xmx24m",
            "-Xss256k",
            // Output of the JVM itself must not appear between the agent's lines.
            "-Xlog:disable"));
    if (archive != null) {
      command.add("-XX:ArchiveClassesAtExit=" + archive);
    } else if (Files.exists(SupervisorJar.archive(jar))) {
      // Naming a missing archive would disable the JDK's own archive too.
      command.add("-XX:SharedArchiveFile=" + SupervisorJar.archive(jar));
    }
    command.addAll(List.of("-jar", jar.toString(), files.session()));
    command.add(Long.toString(ProcessHandle.current().pid()));
    command.add(Long.toString(settings.tick().toMillis()));
    command.add(files.launch().toString());
    return command;
  }

  /**
   * Runs one session that leaves an orphan to be killed, so that the archive holds all that a
   * supervisor ever needs. Without an archive supervisors only start more slowly.
   */
  private void train() throws IOException {
    Path half = jar.resolveSibling("supervisor-" + UUID.randomUUID() + ".half");
    var launch =
        new Launch(
            "training-" + UUID.randomUUID(),
            List.of(sh, "-c", "sleep 60 & exit 0"),
            Map.of("PATH", "/usr/bin:/bin"),
            Path.of("/"),
            "");
    ContainedProcess process = start(launch, BootClock.sinceBoot().plus(TRAINING), half);
    try {
      int code = process.onExit().get(TRAINING.toMillis(), TimeUnit.MILLISECONDS).code();
      if (code != 0) {
        String complaint = new String(process.err().readNBytes(300), StandardCharsets.UTF_8);
        throw new IOException(
            "a supervisor ended with " + code + ": " + complaint.strip().replace('\n', ' '));
      }
      if (Files.exists(half)) {
        Files.move(half, SupervisorJar.archive(jar));
      }
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("a supervisor did not end within " + TRAINING.toSeconds() + " s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while a supervisor was tried", e);
    } finally {
      process.kill(KillLadder.now(TRAINING));
      Files.deleteIfExists(half);
    }
  }
}
