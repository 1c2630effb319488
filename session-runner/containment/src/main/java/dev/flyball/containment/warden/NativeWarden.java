package dev.flyball.containment.warden;

import dev.flyball.containment.CannotStart;
import dev.flyball.containment.ContainmentSettings;
import dev.flyball.containment.Launch;
import dev.flyball.containment.session.Deadline;
import dev.flyball.containment.session.LaunchFile;
import dev.flyball.containment.session.SessionFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Starts sessions by one small program in C (warden.c), which is the warden of levels A and A+ and
 * the supervisor of level B. It costs a session about as much as any other process does.
 *
 * @param program the compiled program
 * @param settings with the tick of its deadman
 */
public record NativeWarden(Path program, ContainmentSettings settings) {

  /** The lowest of its exit codes that are not surely the agent's. */
  public static final int UNABLE = 125;

  /**
   * The program, which is compiled into this folder unless it was before.
   *
   * @throws CannotStart with the reason and the fix if there is no compiler, it fails, or this
   *     folder is on a file system without programs
   */
  public static Path program(Path folder) throws IOException {
    return WardenProgram.in(folder.toAbsolutePath());
  }

  /** Level B: without namespaces. */
  public ProcessBuilder supervising(Launch launch, SessionFiles files, Deadline deadline)
      throws IOException {
    return start("b", launch, files, deadline, "-", List.of());
  }

  /**
   * Levels A and A+: in a PID namespace.
   *
   * @param options letters: u a user namespace, m a separate /proc, n no network
   * @param groups control groups that every process of the session is in, the main one first
   */
  public ProcessBuilder inNamespace(
      Launch launch, SessionFiles files, Deadline deadline, String options, List<Path> groups)
      throws IOException {
    return start("a", launch, files, deadline, options.isEmpty() ? "-" : options, groups);
  }

  private ProcessBuilder start(
      String level,
      Launch launch,
      SessionFiles files,
      Deadline deadline,
      String options,
      List<Path> groups)
      throws IOException {
    files.writePrompt(launch.prompt());
    files.writeLaunch(LaunchFile.content(launch.command(), launch.wholeEnvironment()));
    var command =
        new ArrayList<String>(
            List.of(
                program.toString(),
                level,
                launch.session(),
                Long.toString(ProcessHandle.current().pid()),
                Long.toString(settings.tick().toMillis()),
                files.launch().toAbsolutePath().toString(),
                files.prompt().toAbsolutePath().toString(),
                options));
    groups.forEach(group -> command.add(group.toString()));
    var start =
        new ProcessBuilder(command)
            .directory(launch.directory().toFile())
            .redirectInput(deadline.file().toFile());
    start.environment().clear();
    return start;
  }
}
