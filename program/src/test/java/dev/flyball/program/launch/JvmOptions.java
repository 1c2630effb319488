package dev.flyball.program.launch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The JVM's settings that the launcher gives to a command: the heap that is shipped is tested. */
public final class JvmOptions {
  private static final ConcurrentMap<String, List<String>> KNOWN = new ConcurrentHashMap<>();

  private JvmOptions() {}

  /** Those of a command line, of which the first word is the command. */
  public static List<String> of(String... args) {
    return KNOWN.computeIfAbsent(args[0], JvmOptions::ask);
  }

  private static List<String> ask(String command) {
    String launcher = Path.of("..", "flyball").toString();
    try {
      Process process =
          new ProcessBuilder(launcher, "--jvm-options", command)
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int code = process.waitFor();
      if (code != 0) {
        throw new IllegalStateException(launcher + " ended with " + code);
      }
      return said.lines().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
