package dev.flyball.program.launch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The JVM's settings that the launcher gives to a command: the heap that is shipped is tested. */
public final class JvmOptions {
  private static final ConcurrentMap<List<String>, List<String>> KNOWN = new ConcurrentHashMap<>();

  private JvmOptions() {}

  /** Those of a command line, of which the first word is the command. */
  public static List<String> of(String... args) {
    return KNOWN.computeIfAbsent(List.of(args[0]), JvmOptions::ask);
  }

  /** Those of a command that finds this cache of classes. */
  static List<String> withCache(String command, Path cache) {
    return KNOWN.computeIfAbsent(List.of(command, cache.toString()), JvmOptions::ask);
  }

  private static List<String> ask(List<String> words) {
    String launcher = Path.of("..", "flyball").toString();
    try {
      var command = new ArrayList<>(List.of(launcher, "--jvm-options"));
      command.addAll(words);
      Process process =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
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
