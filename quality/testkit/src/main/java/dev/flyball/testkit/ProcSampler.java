package dev.flyball.testkit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * The ground truth about processes: it reads /proc itself and trusts no program's records. It finds
 * live processes by the cookie in their environment, and by the program file that they run. A copy
 * of perl made for one test marks even a process that has cleaned its environment, changed its name
 * and left its session.
 */
public final class ProcSampler implements AutoCloseable {
  private static final byte[] COOKIE = "FLYBALL_SESSION=".getBytes(StandardCharsets.US_ASCII);

  private final Thread thread;
  private volatile boolean closed;

  private ProcSampler(Duration every, String entry, Consumer<Set<String>> look) {
    this.thread =
        Thread.ofPlatform()
            .daemon()
            .name("proc-sampler")
            .start(() -> {
              while (!closed) {
                look.accept(sessions(entry));
                LockSupport.parkNanos(every.toNanos());
              }
            });
  }

  /** A live process. */
  public record Seen(int pid, char state, String name) {

    /** Its command line, arguments separated by spaces; empty if it has exited. */
    public String commandLine() {
      try {
        return Files.readString(Path.of("/proc/" + pid + "/cmdline"), StandardCharsets.ISO_8859_1)
            .replace('\0', ' ')
            .strip();
      } catch (IOException e) {
        return "";
      }
    }
  }

  /**
   * Passes the ids of all sessions that have a live process to a listener, repeatedly, on a
   * separate thread.
   */
  public static ProcSampler every(Duration interval, Consumer<Set<String>> sessions) {
    return every(interval, "", sessions);
  }

  /** The same for sessions whose processes also carry an environment entry. */
  public static ProcSampler every(Duration interval, String entry, Consumer<Set<String>> sessions) {
    return new ProcSampler(interval, entry, sessions);
  }

  /** Ids of all sessions that have a live process now, without start-up probes. */
  public static Set<String> sessions() {
    return sessions("");
  }

  /**
   * The same, of processes that also carry this environment entry, for example {@code
   * HOME=/tmp/a-test-of-its-own}. It distinguishes one test's sessions from those of another test
   * that runs beside it. All were alive at one moment, the end of the scan: a session that ended
   * during the scan is not counted beside its successor.
   */
  public static Set<String> sessions(String entry) {
    var met = new TreeMap<Integer, String>();
    for (int pid : pids()) {
      cookie(pid, entry).filter(id -> !id.startsWith("probe-")).ifPresent(id -> met.put(pid, id));
    }
    var found = new TreeSet<String>();
    met.forEach((pid, id) -> {
      if (!found.contains(id) && alive(pid).isPresent()) {
        found.add(id);
      }
    });
    return found;
  }

  /** Live processes that carry this session's cookie. */
  public static List<Seen> withCookie(String session) {
    var found = new ArrayList<Seen>();
    for (int pid : pids()) {
      if (cookie(pid).filter(session::equals).isPresent()) {
        alive(pid).ifPresent(found::add);
      }
    }
    return found;
  }

  /** Live processes that run exactly this program file. */
  public static List<Seen> running(Path program) {
    var found = new ArrayList<Seen>();
    for (int pid : pids()) {
      if (program(pid).filter(program::equals).isPresent()) {
        alive(pid).ifPresent(found::add);
      }
    }
    return found;
  }

  @Override
  public void close() {
    closed = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static List<Integer> pids() {
    var found = new ArrayList<Integer>();
    try (var folders = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      folders.forEach(folder -> found.add(Integer.valueOf(folder.getFileName().toString())));
    } catch (IOException | DirectoryIteratorException e) {
      throw new IllegalStateException("/proc cannot be listed", e);
    }
    return found;
  }

  private static Optional<Path> program(int pid) {
    try {
      return Optional.of(Files.readSymbolicLink(Path.of("/proc/" + pid + "/exe")));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static Optional<String> cookie(int pid) {
    return cookie(pid, "");
  }

  private static Optional<String> cookie(int pid, String entry) {
    try {
      byte[] bytes = Files.readAllBytes(Path.of("/proc/" + pid + "/environ"));
      String text = "\0" + new String(bytes, StandardCharsets.ISO_8859_1);
      int at = text.indexOf("\0" + new String(COOKIE, StandardCharsets.US_ASCII));
      if (at < 0 || !(entry.isEmpty() || (text + "\0").contains("\0" + entry + "\0"))) {
        return Optional.empty();
      }
      int from = at + 1 + COOKIE.length;
      int to = text.indexOf('\0', from);
      return Optional.of(text.substring(from, to < 0 ? text.length() : to));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static Optional<Seen> alive(int pid) {
    try {
      String stat =
          Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
      int end = stat.lastIndexOf(')');
      char state = stat.charAt(end + 2);
      String name = stat.substring(stat.indexOf('(') + 1, end);
      return state == 'Z' || state == 'X'
          ? Optional.empty()
          : Optional.of(new Seen(pid, state, name));
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
