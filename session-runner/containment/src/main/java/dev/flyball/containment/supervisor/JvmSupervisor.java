package dev.flyball.containment.supervisor;

import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.ContainmentSettings;
import dev.flyball.containment.Launch;
import dev.flyball.containment.session.Deadline;
import dev.flyball.containment.session.LaunchFile;
import dev.flyball.containment.session.Outermost;
import dev.flyball.containment.session.ProcessStart;
import dev.flyball.containment.session.SessionFiles;
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
 * A small JVM as supervisor, for machines without a C compiler: it takes 40 to 80 ms and 41 MB for
 * each session (docs/benchmarks.md).
 *
 * @param written where this supervisor writes the classes that it loaded; null to read the existing
 *     archive
 */
record JvmSupervisor(ContainmentSettings settings, Path jar, String sh, @Nullable Path written)
    implements Outermost {
  private static final String PRELUDE = Tools.script(JvmSupervisor.class, "prelude.sh");
  private static final Duration TRAINING = Duration.ofSeconds(10);

  /**
   * Creates the supervisor's jar and, once for each folder, the archive of the classes that it
   * loads.
   */
  static JvmSupervisor in(ContainmentSettings settings) throws IOException {
    SessionFiles.prepare(settings.folder());
    // Absolute, because a supervisor works in its agent's directory.
    Path jar = SupervisorJar.in(settings.folder().toAbsolutePath());
    var supervisor = new JvmSupervisor(settings, jar, Tools.need("sh"), null);
    if (!Files.exists(SupervisorJar.archive(jar))) {
      supervisor.train();
    }
    return supervisor;
  }

  @Override
  public ProcessStart of(Launch launch, SessionFiles files, Deadline deadline, long end)
      throws IOException {
    files.writePrompt(launch.prompt());
    files.writeLaunch(
        LaunchFile.content(agent(launch, files.prompt(), end), launch.wholeEnvironment()));
    return new ProcessStart(command(files), Map.of(), launch.directory(), deadline.file());
  }

  private List<String> agent(Launch launch, Path prompt, long end) {
    var command = new ArrayList<String>();
    command.addAll(
        List.of(sh, "-c", PRELUDE, "flyball-prelude", prompt.toString(), Long.toString(end)));
    command.addAll(launch.command());
    return command;
  }

  private List<String> command(SessionFiles files) {
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
    if (written != null) {
      command.add("-XX:ArchiveClassesAtExit=" + written);
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
    ContainedProcess process =
        SupervisedContainment.trained(settings, new JvmSupervisor(settings, jar, sh, half))
            .start(launch, TRAINING);
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
