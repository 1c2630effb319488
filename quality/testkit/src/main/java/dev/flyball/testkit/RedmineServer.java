package dev.flyball.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/**
 * A real Redmine on 127.0.0.1 in a separate process, with its own database: one project, the
 * default trackers, statuses and priorities, two users. It writes nothing outside its folder, so
 * any number run side by side. It ends with this JVM, however that ends. Belongs to one thread.
 *
 * <p>Redmine's log and the requests are below its folder: a test that needs them after a failure
 * uses {@code @TempDir(cleanup = ON_SUCCESS)}.
 */
public final class RedmineServer implements AutoCloseable {
  /** The one project's identifier. */
  public static final String PROJECT = "flyball";

  /** The key of the administrator, with which tests edit issues. */
  public static final String ADMIN_KEY = "a".repeat(40);

  /** The key of the user {@code bot}, a manager in the project, with which Flyball connects. */
  public static final String BOT_KEY = "b".repeat(40);

  private static final Path APPLICATION = Path.of("/usr/share/redmine");
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private final Path folder;
  private int port;
  private final Process process;

  private RedmineServer(Path folder) {
    this.folder = folder;
    copy(InstalledProgram.by(".ci/redmine"), folder);
    this.process = launch();
    awaitUp();
  }

  /**
   * Starts on any free port and waits until it listens.
   *
   * @param folder created if missing; without spaces, because Redmine's own paths have none
   */
  public static RedmineServer start(Path folder) {
    return new RedmineServer(folder.toAbsolutePath());
  }

  /** Its address. */
  public String url() {
    return "http://127.0.0.1:" + port;
  }

  /** The issues, changed as the administrator. */
  public RedmineIssues issues() {
    return new RedmineIssues(url(), ADMIN_KEY);
  }

  /** The issues, changed as the bot. */
  public RedmineIssues issuesAsBot() {
    return new RedmineIssues(url(), BOT_KEY);
  }

  /** How many requests have reached Redmine until now. */
  public int requests() {
    return (int)
        read(folder.resolve("requests.log")).lines().filter(it -> it.startsWith("begin")).count();
  }

  /** Sends SIGKILL; returns once the process has exited. */
  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
  }

  private Process launch() {
    try {
      Files.deleteIfExists(folder.resolve("ready"));
      Path log = folder.resolve("server.log");
      var builder =
          new ProcessBuilder("ruby", folder.resolve("server.rb").toString(), Integer.toString(port))
              .directory(APPLICATION.toFile())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
      var environment = builder.environment();
      environment.put("FLYBALL_REDMINE", folder.toString());
      environment.put("BUNDLE_GEMFILE", folder.resolve("Gemfile").toString());
      // Up to / and down again, because Redmine searches for an instance below its own folder.
      environment.put("REDMINE_INSTANCE", "../../../../../.." + folder);
      environment.put("RAILS_ENV", "production");
      environment.put("LANG", "C.UTF-8");
      return builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start Redmine", e);
    }
  }

  private void awaitUp() {
    Path ready = folder.resolve("ready");
    Awaitility.await("Redmine listens, see " + folder.resolve("server.log"))
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> Files.exists(ready) || !process.isAlive());
    if (!process.isAlive()) {
      throw new AssertionError("Redmine ended: " + read(folder.resolve("server.log")));
    }
    port = Integer.parseInt(read(ready).strip());
  }

  private static void copy(Path from, Path to) {
    try (Stream<Path> walk = Files.walk(from)) {
      for (Path path : walk.toList()) {
        Path target = to.resolve(from.relativize(path).toString());
        if (Files.isDirectory(path)) {
          Files.createDirectories(target);
        } else {
          Files.copy(path, target);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot copy " + from, e);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    }
  }
}
