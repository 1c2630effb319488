package dev.flyball.containment.kernel;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * One process as /proc showed it. It is signalled only while pid and start time still match: a pid
 * alone is reused.
 *
 * @param session its kernel session: the pid of the process that began it
 * @param state its letter in /proc; Z is a zombie
 * @param startTicks start time since boot, in clock ticks
 * @param memoryBytes resident memory
 */
public record ProcessEntry(
    int pid, int parent, int session, char state, long startTicks, long memoryBytes) {
  /** The variable in the environment of a session's processes, unless one removes it. */
  public static final String COOKIE = "FLYBALL_SESSION";

  private static final long PAGE = Kernel.pageBytes();

  /** Reads one process now; empty if it has exited. */
  public static Optional<ProcessEntry> read(int pid) {
    try {
      return Optional.of(parse(pid, Files.readAllBytes(Path.of("/proc/" + pid + "/stat"))));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** The session that a process's environment names; empty if it names none or may not be read. */
  public static Optional<String> cookie(int pid) {
    try {
      String environment = "\0" + text(pid, "environ");
      int at = environment.indexOf("\0" + COOKIE + "=");
      if (at < 0) {
        return Optional.empty();
      }
      int from = at + COOKIE.length() + 2;
      int to = environment.indexOf('\0', from);
      return Optional.of(environment.substring(from, to < 0 ? environment.length() : to));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Whether a session id is an argument of a process, as a supervisor names its session. */
  public static boolean names(int pid, String session) {
    try {
      return List.of(text(pid, "cmdline").split("\0")).contains(session);
    } catch (IOException e) {
      return false;
    }
  }

  private static String text(int pid, String file) throws IOException {
    byte[] all = Files.readAllBytes(Path.of("/proc/" + pid + "/" + file));
    return new String(all, StandardCharsets.UTF_8);
  }

  /** Whether it has not ended; a zombie has. */
  public boolean alive() {
    return state != 'Z' && state != 'X';
  }

  /** Whether the other is this process too, perhaps read at another time. */
  public boolean same(ProcessEntry other) {
    return pid == other.pid && startTicks == other.startTicks;
  }

  /**
   * Whether it still runs, with its memory. A process that exits releases its memory before it is a
   * zombie, and then has no environment to read.
   */
  public boolean stillRuns() {
    return alive()
        && read(pid)
            .filter(now -> now.same(this) && now.alive() && now.memoryBytes > 0)
            .isPresent();
  }

  /** Sends a signal unless it has ended; false if none was sent. */
  public boolean signal(int signal) {
    return read(pid).filter(now -> now.same(this) && now.alive()).isPresent()
        && Kernel.signal(pid, signal);
  }

  /** Stops all before it kills any, so that none can replace what was killed. */
  public static void stopAndKill(List<ProcessEntry> processes) {
    processes.forEach(one -> one.signal(Kernel.STOP));
    processes.forEach(one -> one.signal(Kernel.KILL));
  }

  private static ProcessEntry parse(int pid, byte[] stat) {
    // The second field is the program's name in brackets, which may hold spaces and brackets
    // itself.
    String text = new String(stat, StandardCharsets.ISO_8859_1);
    String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ", 24);
    return new ProcessEntry(
        pid,
        Integer.parseInt(fields[1]),
        Integer.parseInt(fields[3]),
        fields[0].charAt(0),
        Long.parseLong(fields[19]),
        Long.parseLong(fields[21].trim()) * PAGE);
  }
}
