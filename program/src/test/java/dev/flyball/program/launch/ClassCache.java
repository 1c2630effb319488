package dev.flyball.program.launch;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The JVM's cache of loaded classes (JEP 514), as ops/warm-up makes one: with it a story's programs
 * start for half the CPU. The first test process that starts many makes it, in about half a minute,
 * while others start theirs without it.
 */
final class ClassCache {
  static final String JAVA = Path.of(System.getProperty("java.home"), "bin", "java").toString();

  /** Beside the jars that it was made from: -Dquick has others. */
  private static final Path CACHE =
      Path.of(ClassCache.class.getProtectionDomain().getCodeSource().getLocation().getPath())
          .resolveSibling("stories.aot");

  /** So many starts without it take less than making it. */
  private static final int FEW = 6;

  private static final Path EXAMPLES = Path.of("..", "examples", "work-items.jsonl");

  private static int starts;

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
      if (++starts > FEW && !current(classPath)) {
        make(classPath);
      }
      if (current(classPath)) {
        System.setProperty(BrokerProcess.CLASS_CACHE, CACHE.toString());
        return JvmOptions.of(command, CACHE.toString());
      }
      return JvmOptions.of(command);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** With an older one the JVM would start without even its default cache. */
  private static boolean current(String classPath) throws IOException {
    FileTime made = Files.exists(CACHE) ? Files.getLastModifiedTime(CACHE) : FileTime.fromMillis(0);
    for (String jar : entries(classPath).toList()) {
      if (Files.getLastModifiedTime(Path.of(jar)).compareTo(made) > 0) {
        return false;
      }
    }
    return true;
  }

  private static void make(String classPath) throws IOException {
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
        Files.write(work.resolve("items.jsonl"), Files.readAllLines(EXAMPLES).subList(0, 6));
        var command = new ArrayList<>(List.of(JAVA, "-XX:AOTCacheOutput=" + made));
        command.addAll(JvmOptions.of("run"));
        command.addAll(List.of("-cp", classPath, "dev.flyball.program.FlyballMain"));
        command.addAll(List.of("run", "items.jsonl", "--repo", ".", "--data", "data"));
        Shell small = new Shell(work).with("FLYBALL_GATE_LOAD", "1000");
        String said = small.outcome(command.toArray(String[]::new)).output();
        assertThat(made).as(said).exists();
        Files.move(made, CACHE, StandardCopyOption.ATOMIC_MOVE);
      } finally {
        Folders.delete(work);
      }
    }
  }

  private static Stream<String> entries(String classPath) {
    return Stream.of(classPath.split(File.pathSeparator));
  }
}
