package dev.flyball.runner.process;

import dev.flyball.runner.process.ContainedProcess.Identity;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Our side of the guard process of level C: one line for each thing that it should know. It is
 * started again when it dies, and told everything anew. All methods hold this object's monitor.
 */
final class Guard implements AutoCloseable {
  private static final int RESTARTS = 5;

  private final ContainmentSettings settings;
  private final Runnable unguarded;
  private final Map<String, Long> deadlines = new TreeMap<>();
  private final Map<String, Identity> roots = new TreeMap<>();
  private @Nullable Process process;
  private @Nullable Writer in;
  private @Nullable BufferedReader out;
  private int restarts;
  private boolean closed;

  /**
   * Starts it.
   *
   * @param unguarded told when there is no guard and none can be started
   */
  Guard(ContainmentSettings settings, Runnable unguarded) throws IOException {
    this.settings = settings;
    this.unguarded = unguarded;
    start();
  }

  /** Arms a session's deadman; returns when the guard has said that it knows. */
  synchronized void add(String session, long end) throws IOException {
    deadlines.put(session, end);
    if (!tell("add " + session + " " + end) || !acknowledged(session)) {
      deadlines.remove(session);
      throw new CannotStart(
          "containment", "the guard process does not answer; see containment.minimum");
    }
  }

  synchronized void root(String session, Identity identity) {
    roots.put(session, identity);
    tell("root " + session + " " + identity.pid() + " " + identity.startTicks());
  }

  synchronized boolean extend(String session, long end) {
    return deadlines.replace(session, end) != null && tell("end " + session + " " + end);
  }

  synchronized void remove(String session) {
    deadlines.remove(session);
    roots.remove(session);
    tell("del " + session);
  }

  /** Its pid, for tests that end it. */
  synchronized long pid() {
    return process == null ? 0 : process.pid();
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (process != null) {
      process.destroy();
    }
  }

  private synchronized void start() throws IOException {
    var command =
        new ArrayList<String>(
            List.of(
                Tools.need("setsid"),
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-Xmx24m",
                "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                classes(),
                GuardMain.class.getName(),
                Long.toString(settings.tick().toMillis())));
    var builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
    // It must not be found by a cookie, and whatever our environment holds is none of its business.
    builder.environment().clear();
    builder.directory(Path.of("/").toFile());
    Process started = Spawner.start(builder);
    process = started;
    in = started.outputWriter(StandardCharsets.US_ASCII);
    out =
        new BufferedReader(
            new InputStreamReader(started.getInputStream(), StandardCharsets.US_ASCII));
    var _ = started.onExit().thenRun(this::died);
    for (Map.Entry<String, Long> one : deadlines.entrySet()) {
      tell("add " + one.getKey() + " " + one.getValue());
      if (!acknowledged(one.getKey())) {
        throw new IOException("the guard process does not answer");
      }
    }
    roots.forEach(
        (session, id) -> tell("root " + session + " " + id.pid() + " " + id.startTicks()));
  }

  private void died() {
    try {
      synchronized (this) {
        if (closed) {
          return;
        }
        if (restarts++ >= RESTARTS) {
          throw new IOException("the guard process died " + restarts + " times");
        }
        start();
        return;
      }
    } catch (IOException e) {
      unguarded.run();
    }
  }

  private boolean tell(String line) {
    Writer writer = in;
    if (writer == null) {
      return false;
    }
    try {
      writer.write(line + "\n");
      writer.flush();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private boolean acknowledged(String session) throws IOException {
    BufferedReader reader = out;
    String answer = reader == null ? null : reader.readLine();
    return ("ok " + session).equals(answer);
  }

  private static String classes() {
    try {
      var source = Guard.class.getProtectionDomain().getCodeSource();
      return source == null
          ? System.getProperty("java.class.path")
          : Path.of(source.getLocation().toURI()).toString();
    } catch (URISyntaxException e) {
      return System.getProperty("java.class.path");
    }
  }
}
