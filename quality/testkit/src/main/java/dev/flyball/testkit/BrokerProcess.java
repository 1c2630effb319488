package dev.flyball.testkit;

import dev.flyball.broker.BrokerConfig;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/**
 * An embedded broker in a separate JVM, which tests kill, freeze and start again on the same port
 * and folder. It ends with this JVM. Belongs to one thread.
 */
public final class BrokerProcess implements AutoCloseable {
  /** The property that names a cache of the classes of this JVM's jars, where there is one. */
  public static final String CLASS_CACHE = "flyball.class-cache";

  private static final Duration PATIENCE = Duration.ofMinutes(3);

  private final Path folder;
  private final Surroundings surroundings;
  private final int port = FreePort.take();
  private Process process;

  private BrokerProcess(Path folder, Surroundings surroundings) {
    this.folder = folder;
    this.surroundings = surroundings;
    this.process = launch();
    awaitUp();
  }

  /**
   * The environment of a broker.
   *
   * @param host the address that it listens on and that clients use
   * @param environment more environment variables, for example a preloaded library that steps its
   *     clock
   * @param prefix the arguments before its command, for example those that enter a network
   *     namespace; the last program among them must replace itself by the broker
   */
  public record Surroundings(String host, Map<String, String> environment, List<String> prefix) {
    private static final Surroundings PLAIN =
        new Surroundings(BrokerConfig.LOOPBACK, Map.of(), List.of());

    public Surroundings {
      environment = Map.copyOf(environment);
      prefix = List.copyOf(prefix);
    }
  }

  /** Starts on any free port and waits until it is up. */
  public static BrokerProcess start(Path folder) {
    return start(folder, Surroundings.PLAIN);
  }

  /** Starts with more environment variables. */
  public static BrokerProcess start(Path folder, Map<String, String> environment) {
    return start(folder, new Surroundings(BrokerConfig.LOOPBACK, environment, List.of()));
  }

  /** Starts in another environment than on the loopback address of this process. */
  public static BrokerProcess start(Path folder, Surroundings surroundings) {
    return new BrokerProcess(folder, surroundings);
  }

  /** The address for clients; the same after every restart. */
  public String bootstrapServers() {
    return surroundings.host() + ":" + port;
  }

  /** Its process id. */
  public long pid() {
    return process.pid();
  }

  /** Sends SIGKILL; returns once the process has exited. */
  public void kill() {
    process.destroyForcibly();
    process.onExit().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
  }

  /** Stops it cleanly; returns once the process has exited. */
  public void stop() {
    try {
      process.getOutputStream().close();
    } catch (IOException e) {
      throw new UncheckedIOException("broker process " + process.pid(), e);
    }
    process.onExit().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
  }

  /** Sends SIGSTOP: the process lives and does nothing. */
  public void freeze() {
    signal("-STOP");
  }

  /** Sends SIGCONT. */
  public void thaw() {
    signal("-CONT");
  }

  /** Starts the broker again after {@link #kill} or {@link #stop}; returns once it is up. */
  public void restart() {
    process = launch();
    awaitUp();
  }

  @Override
  public void close() {
    kill();
  }

  private Process launch() {
    try {
      Files.createDirectories(folder);
      Files.deleteIfExists(ready());
      var command = new ArrayList<>(surroundings.prefix());
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      String classPath = System.getProperty("java.class.path");
      String cache = System.getProperty(CLASS_CACHE);
      if (cache != null) {
        command.addAll(List.of("-XX:AOTCache=" + cache, "-Xlog:aot*=off"));
        // The JVM can cache no folder.
        classPath =
            Stream.of(classPath.split(File.pathSeparator))
                .filter(each -> !each.endsWith("test-classes"))
                .collect(Collectors.joining(File.pathSeparator));
      }
      command.addAll(
          List.of(
              "-Xms64m",
              "-Xmx384m",
              "-XX:+UseSerialGC",
              "-XX:TieredStopAtLevel=1",
              "--enable-native-access=ALL-UNNAMED",
              "--sun-misc-unsafe-memory-access=allow",
              "-cp",
              classPath,
              BrokerProcessMain.class.getName(),
              folder.resolve("data").toString(),
              Integer.toString(port),
              ready().toString(),
              surroundings.host()));
      var builder = new ProcessBuilder(command).redirectErrorStream(true);
      builder.environment().putAll(surroundings.environment());
      builder.redirectOutput(
          ProcessBuilder.Redirect.appendTo(folder.resolve("broker.log").toFile()));
      return builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start a broker process", e);
    }
  }

  private Path ready() {
    return folder.resolve("ready");
  }

  private void awaitUp() {
    Awaitility.await("broker process is up, see " + folder.resolve("broker.log"))
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> Files.exists(ready()) || !process.isAlive());
    if (!process.isAlive()) {
      throw new AssertionError("the broker process ended, see " + folder.resolve("broker.log"));
    }
  }

  private void signal(String signal) {
    try {
      Process kill = new ProcessBuilder("kill", signal, Long.toString(process.pid())).start();
      if (kill.waitFor() != 0) {
        throw new AssertionError("kill " + signal + " " + process.pid() + " failed");
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot run kill", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }
}
