package dev.flyball.containment.kill;

import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.containment.kernel.Cookie;
import dev.flyball.containment.kernel.Kernel;
import dev.flyball.containment.kernel.ProcessEntry;
import dev.flyball.containment.kernel.ProcessTable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/** Ends what a dead runner left behind, by identity and cookie, never by a name. */
public final class Reaper {
  /** The greatest age of a shared reading of /proc. */
  private static final Duration FRESH = Duration.ofSeconds(1);

  private Reaper() {}

  /**
   * The result of ending a session's processes.
   *
   * @param found live processes at the first scan
   * @param survivors processes that could not be ended
   */
  public record Reaped(int found, int survivors) {}

  /**
   * Ends every process of a session. The outermost process is accepted only if boot, PID namespace,
   * pid, start time and cookie all match: a pid alone may by now belong to any process. A
   * supervisor has its session on its command line. It gets half of the time to end its tree
   * itself, because it misses nothing.
   */
  public static Reaped reap(String session, Optional<Identity> outermost, Duration limit) {
    var tree = new TreeMembers(session);
    Optional<Identity> alive = outermost.filter(Identity::alive);
    alive
        .filter(id -> Cookie.of((int) id.pid()).filter(session::equals).isPresent())
        .ifPresent(id -> tree.add((int) id.pid(), id.startTicks()));
    Optional<Identity> supervisor =
        alive.filter(id -> Cookie.onCommandLine((int) id.pid(), session));
    ProcessTable table = ProcessTable.read();
    int below = supervisor.map(id -> table.descendants((int) id.pid()).size()).orElse(0);
    int found = (int) tree.members(table).stream().filter(ProcessEntry::alive).count();
    supervisor.ifPresent(id -> awaitEnd(id, limit.dividedBy(2)));
    supervisor.filter(Identity::alive).ifPresent(id -> tree.add((int) id.pid(), id.startTicks()));
    return new Reaped(Math.max(found, below), tree.killAll(limit));
  }

  /**
   * Ends what a failed start of this JVM left, of which only the session is known. A supervisor is
   * a child of this JVM that names the session; what it has started is below it.
   */
  public static Reaped reapStart(String session, Duration limit) {
    List<ProcessEntry> children =
        ProcessTable.read().children((int) ProcessHandle.current().pid()).stream()
            .filter(ProcessEntry::alive)
            .toList();
    Optional<ProcessEntry> supervisor =
        children.stream().filter(each -> Cookie.onCommandLine(each.pid(), session)).findFirst();
    Optional<ProcessEntry> outermost =
        supervisor.or(() ->
            children.stream()
                .filter(each -> Cookie.of(each.pid()).filter(session::equals).isPresent())
                .findFirst());
    return reap(session, outermost.map(each -> Identity.of(each.pid())), limit);
  }

  /**
   * Waits for a supervisor whose runner is dead, or whose deadline has passed: it ends by itself
   * unless a signal has stopped it.
   */
  private static void awaitEnd(Identity supervisor, Duration limit) {
    long end = System.nanoTime() + limit.toNanos();
    boolean interrupted = false;
    while (supervisor.alive() && System.nanoTime() < end) {
      Kernel.signal((int) supervisor.pid(), Kernel.CONT);
      interrupted |= KillSequence.pause(Duration.ofMillis(10));
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * The matching sessions that have live processes, and how many; one pass over /proc for any
   * number of sessions.
   */
  public static Map<String, Integer> carriers(Predicate<String> session) {
    var found = new TreeMap<String, Integer>();
    ProcessTable table = ProcessTable.recent(FRESH);
    for (ProcessEntry entry : table.all()) {
      if (entry.alive()) {
        table
            .cookie(entry)
            .filter(session)
            .ifPresent(carried -> found.merge(carried, 1, Integer::sum));
      }
    }
    return found;
  }
}
