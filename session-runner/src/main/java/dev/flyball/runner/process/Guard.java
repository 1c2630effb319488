package dev.flyball.runner.process;

import dev.flyball.runner.process.ContainedProcess.Identity;
import java.io.IOException;
import java.io.Writer;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Our side of the guard process of level C: one line for each thing that it should know. It is
 * started again when it dies, and told everything anew. All methods hold this object's monitor.
 */
final class Guard implements AutoCloseable {
  private static final int RESTARTS = 5;

  /**
   * For an answer, the start of its JVM on a busy machine included. One that is silent for longer
   * is stopped or starved, is no deadman, and is replaced.
   */
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final ContainmentSettings settings;
  private final Runnable unguarded;
  private final Map<String, Long> deadlines = new TreeMap<>();
  private final Map<String, Identity> roots = new TreeMap<>();
  private @Nullable Process process;
  private @Nullable Writer in;
  private BlockingQueue<String> answers = new LinkedBlockingQueue<>();
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
      replace();
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
    answers = heard(started);
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

  /** Its answers, read on a thread that ends with it: nobody who holds the monitor may wait. */
  private static BlockingQueue<String> heard(Process guard) {
    var heard = new LinkedBlockingQueue<String>();
    Thread.ofVirtual()
        .start(() -> guard.inputReader(StandardCharsets.US_ASCII).lines().forEach(heard::add));
    return heard;
  }

  /** False if it does not answer in time; answers to what was given up before are passed over. */
  private boolean acknowledged(String session) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    try {
      String answer = "";
      while (answer != null && !answer.equals("ok " + session)) {
        answer = answers.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
      }
      return answer != null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Its end starts another, which is told everything anew. */
  private void replace() {
    if (process != null) {
      process.destroyForcibly();
    }
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
