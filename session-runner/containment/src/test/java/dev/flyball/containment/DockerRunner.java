package dev.flyball.containment;

import dev.flyball.containment.warden.NativeWarden;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * A runner's JVM in a container with the engine's default profile. A shell is its parent, so that
 * the container does not end with the runner, which would end everything else too.
 */
final class DockerRunner implements AutoCloseable {
  /** What the project's own images are made from. */
  private static final String IMAGE = "eclipse-temurin:25-jre";

  private final String name = "flyball-" + UUID.randomUUID();
  private final Process docker;
  private final String pid;
  final List<String> output = new ArrayList<>();

  /**
   * @param warden whether the warden in C lies beside the runner's classes, as in a release and in
   *     the image; the container has no compiler
   */
  DockerRunner(
      Path folder, String user, boolean warden, Duration life, int sessions, HostileTree hostile)
      throws IOException {
    Path data = Files.createDirectory(folder.resolve("data-" + System.nanoTime()));
    Path classes = ChildRunner.copiedClasses(folder);
    if (warden) {
      Path program = NativeWarden.program(data);
      Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
      Files.copy(program, classes.resolveSibling(program.getFileName()));
      Files.move(program, classes.resolve(program.getFileName()));
    }
    for (Path open : List.of(folder, data, classes)) {
      Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    }
    // The image's own perl, for its libraries; the copy is still the mark.
    String script =
        "cp --remove-destination /usr/bin/perl "
            + hostile.perl
            + "; java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 --enable-native-access=ALL-UNNAMED"
            + (" -cp " + classes + ":" + classes.resolve("main.jar"))
            + (" " + RunnerStandInMain.class.getName() + " " + data + " strongest")
            + (" " + life.toMillis() + " " + sessions + " " + warden + " ")
            + String.join(" ", hostile.command())
            + " & echo runner $!; wait; echo ended; exec sleep 100";
    docker =
        new ProcessBuilder(
                "docker",
                "run",
                "--rm",
                "--init",
                "--name",
                name,
                "--user",
                user,
                "--volume",
                folder + ":" + folder,
                IMAGE,
                "sh",
                "-c",
                script)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    var out =
        new BufferedReader(new InputStreamReader(docker.getInputStream(), StandardCharsets.UTF_8));
    for (String line = out.readLine();
        line != null && !line.equals("ready") && !line.equals("ended");
        line = out.readLine()) {
      output.add(line);
    }
    pid =
        output.stream()
            .filter(line -> line.startsWith("runner "))
            .map(line -> line.substring("runner ".length()))
            .findFirst()
            .orElseThrow(() -> new IOException("the container printed " + output));
  }

  void signal(int signal) throws IOException {
    docker("exec", name, "kill", "-" + signal, pid);
  }

  @Override
  public void close() throws IOException {
    docker("rm", "--force", name);
    docker.destroyForcibly();
  }

  private static void docker(String... words) throws IOException {
    var command = new ArrayList<String>(List.of("docker"));
    command.addAll(List.of(words));
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      if (!process.waitFor(1, TimeUnit.MINUTES) || process.exitValue() != 0) {
        throw new IOException(command + " failed");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(command + " was interrupted", e);
    }
  }
}
