package dev.flyball.containment.kernel;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The variable that every process of a session carries in its environment, unless it deliberately
 * removes it.
 */
public final class Cookie {
  /** Its name. */
  public static final String NAME = "FLYBALL_SESSION";

  private static final byte[] PREFIX = (NAME + "=").getBytes(StandardCharsets.US_ASCII);

  private Cookie() {}

  /** The session that a process's environment names; empty if it names none or may not be read. */
  public static Optional<String> of(int pid) {
    try {
      byte[] environment = Files.readAllBytes(Path.of("/proc/" + pid + "/environ"));
      int from = 0;
      while (from < environment.length) {
        int to = from;
        while (to < environment.length && environment[to] != 0) {
          to++;
        }
        if (startsWithPrefix(environment, from, to)) {
          int start = from + PREFIX.length;
          return Optional.of(new String(environment, start, to - start, StandardCharsets.UTF_8));
        }
        from = to + 1;
      }
      return Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /**
   * Whether a session id is an argument on a process's command line: a supervisor names its session
   * there.
   */
  public static boolean onCommandLine(int pid, String session) {
    try {
      String words =
          Files.readString(Path.of("/proc/" + pid + "/cmdline"), StandardCharsets.ISO_8859_1);
      return List.of(words.split("\0")).contains(session);
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * Finds live processes that carry this session's cookie. A process older than the session's first
   * process cannot descend from it and is not read. Reading the environment of every process of a
   * machine cost more than the session itself.
   *
   * @param sinceTicks start time of the session's first process, 0 if it is unknown
   */
  public static List<ProcessEntry> carriers(ProcessTable table, String session, long sinceTicks) {
    var found = new ArrayList<ProcessEntry>();
    for (ProcessEntry entry : table.all()) {
      if (entry.alive()
          && entry.startTicks() >= sinceTicks
          && table.cookie(entry).filter(session::equals).isPresent()) {
        found.add(entry);
      }
    }
    return found;
  }

  private static boolean startsWithPrefix(byte[] bytes, int from, int to) {
    if (to - from < PREFIX.length) {
      return false;
    }
    for (int i = 0; i < PREFIX.length; i++) {
      if (bytes[from + i] != PREFIX[i]) {
        return false;
      }
    }
    return true;
  }
}
