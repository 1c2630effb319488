package dev.flyball.containment;

import dev.flyball.containment.kernel.Kernel;
import dev.flyball.containment.kernel.ProcessEntry;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A runner's JVM that a test may kill, freeze or stop; as this user or, where this one is root, as
 * an ordinary one.
 */
final class ChildRunner implements AutoCloseable {
  /** A variable of its environment that no agent inherits. */
  static final String SECRET = "RUNNER_ONLY";

  private final Process process;
  private final BufferedReader out;
  final List<String> output = new ArrayList<>();

  ChildRunner(
      Path folder,
      boolean ordinary,
      Containment.Level level,
      boolean warden,
      Duration life,
      int sessions,
      List<String> agent)
      throws IOException {
    Path data = folder.resolve("data-" + System.nanoTime());
    Files.createDirectory(data);
    Path classes = copiedClasses(folder);
    for (Path open : List.of(folder, data, classes)) {
      Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    }
    var command = new ArrayList<String>();
    if (ordinary) {
      command.addAll(List.of("setpriv", "--reuid", "12345", "--regid", "12345", "--clear-groups"));
    }
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "--enable-native-access=ALL-UNNAMED",
            "-cp",
            classes + ":" + classes.resolve("main.jar"),
            RunnerStandInMain.class.getName(),
            data.toString(),
            level.name(),
            Long.toString(life.toMillis()),
            Integer.toString(sessions),
            Boolean.toString(warden)));
    command.addAll(agent);
    var builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put(SECRET, "runner");
    process = builder.start();
    out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    for (String line = out.readLine();
        line != null && !line.equals("ready");
        line = out.readLine()) {
      output.add(line);
    }
  }

  /** Copies of our classes or jar: they may lie in a home that an ordinary user cannot read. */
  static Path copiedClasses(Path folder) throws IOException {
    Path classes = folder.resolve("classes");
    if (!Files.exists(classes)) {
      Files.createDirectory(classes);
      for (Class<?> from : List.of(Containment.class, ChildRunner.class)) {
        Path root = Path.of(from.getProtectionDomain().getCodeSource().getLocation().getPath());
        if (Files.isRegularFile(root)) {
          copy(root, classes.resolve("main.jar"));
          continue;
        }
        try (var files = Files.walk(root.resolve("dev/flyball/containment"))) {
          files
              .filter(Files::isRegularFile)
              .forEach(file -> copy(file, classes.resolve(root.relativize(file).toString())));
        }
      }
    }
    return classes;
  }

  private static void copy(Path from, Path to) {
    try {
      Files.createDirectories(to.getParent());
      Files.copy(from, to);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void signal(int signal) {
    Kernel.signal((int) process.pid(), signal);
  }

  /** Sends it a command and returns its answer. */
  String command(String command) throws IOException {
    process.getOutputStream().write((command + "\n").getBytes(StandardCharsets.US_ASCII));
    process.getOutputStream().flush();
    return String.valueOf(out.readLine());
  }

  /** The pids that it output: of its sessions' outermost processes. */
  List<Integer> pids() {
    return output.stream()
        .map(line -> line.split(" "))
        .filter(words -> words[0].equals("session"))
        .map(words -> Integer.valueOf(words[2]))
        .toList();
  }

  void awaitEnd() throws InterruptedException {
    process.waitFor();
  }

  /** A stopped supervisor of a failed test would hold up the next test: it collects zombies. */
  @Override
  public void close() {
    process.destroyForcibly();
    for (String line : output) {
      String[] words = line.split(" ");
      if (words[0].equals("session")) {
        ProcessEntry.read(Integer.parseInt(words[2]))
            .filter(one -> one.startTicks() == Long.parseLong(words[3]))
            .ifPresent(one -> Kernel.signal(one.pid(), Kernel.KILL));
      }
    }
  }
}
