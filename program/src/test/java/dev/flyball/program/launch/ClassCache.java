package dev.flyball.program.launch;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import dev.flyball.testkit.BrokerProcess;
import dev.flyball.testkit.Folders;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The JVM's cache of loaded classes (JEP 514), as ops/warm-up makes one: with it a story's programs
 * start for half the CPU. The first test process that starts one makes it, in about half a minute,
 * while others start theirs without it.
 */
final class ClassCache {
  static final String JAVA = Path.of(System.getProperty("java.home"), "bin", "java").toString();

  /** Beside the jars that it was made from: -Dquick has others. */
  private static final Path CACHE =
      Path.of(ClassCache.class.getProtectionDomain().getCodeSource().getLocation().getPath())
          .resolveSibling("stories.aot");

  private static final Path EXAMPLES = Path.of("..", "examples", "work-items.jsonl");

  private ClassCache() {}

  /** A class path of jars only, if the test runs in a whole build: the JVM can cache no folder. */
  static String withoutTests(String classPath) {
    return entries(classPath)
        .filter(it -> !it.endsWith("test-classes"))
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** The JVM's settings for a command with this class path, with the cache if there is one. */
  static synchronized List<String> options(String command, String classPath) {
    if (!entries(classPath).allMatch(it -> it.endsWith(".jar"))) {
      return JvmOptions.of(command);
    }
    try {
      if (!current(classPath)) {
        make(classPath);
      }
      if (!current(classPath)) {
        return JvmOptions.of(command);
      }
      System.setProperty(BrokerProcess.CLASS_CACHE, CACHE.toString());
      return JvmOptions.withCache(command, CACHE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** With an older one the JVM would start without even its default cache. */
  private static boolean current(String classPath) throws IOException {
    if (!Files.exists(CACHE)) {
      return false;
    }
    FileTime made = Files.getLastModifiedTime(CACHE);
    for (String jar : entries(classPath).toList()) {
      if (Files.getLastModifiedTime(Path.of(jar)).compareTo(made) > 0) {
        return false;
      }
    }
    return true;
  }

  private static void make(String classPath) throws IOException, InterruptedException {
    Files.createDirectories(CACHE.getParent());
    try (var channel = FileChannel.open(CACHE.resolveSibling("stories.lock"), CREATE, WRITE);
        var lock = channel.tryLock()) {
      if (lock == null || current(classPath)) {
        return;
      }
      // Beside it, so that under its name it is always whole.
      Path work = Files.createTempDirectory(CACHE.getParent(), "class-cache-");
      try {
        Path made = work.resolve("made.aot");
        Process run = smallRun(work, made, classPath);
        if (!run.waitFor(3, TimeUnit.MINUTES)) {
          run.destroyForcibly().waitFor();
        }
        if (!Files.exists(made)) {
          throw new IllegalStateException("no cache: " + Files.readString(work.resolve("log")));
        }
        Files.move(made, CACHE, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Folders.delete(work);
      }
    }
  }

  private static Process smallRun(Path work, Path made, String classPath) throws IOException {
    Files.write(work.resolve("items.jsonl"), Files.readAllLines(EXAMPLES).subList(0, 6));
    var command = new ArrayList<>(List.of(JAVA));
    command.addAll(JvmOptions.of("run"));
    command.addAll(List.of("-XX:AOTCacheOutput=" + made, "-cp", classPath));
    command.addAll(List.of("dev.flyball.program.FlyballMain", "run", "items.jsonl"));
    command.addAll(List.of("--repo", ".", "--data", "data"));
    var builder = new ProcessBuilder(command).directory(work.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("FLYBALL_"));
    builder.environment().put("FLYBALL_GATE_LOAD", "1000");
    return builder.redirectErrorStream(true).redirectOutput(work.resolve("log").toFile()).start();
  }

  private static Stream<String> entries(String classPath) {
    return Stream.of(classPath.split(File.pathSeparator));
  }
}
