package dev.flyball.containment.kill;

import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.containment.kernel.Kernel;
import dev.flyball.containment.kernel.ProcessEntry;
import dev.flyball.containment.kernel.ProcessTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
    var tree = new Members(session);
    Optional<Identity> alive = outermost.filter(Identity::alive);
    alive
        .filter(id -> ProcessEntry.cookie((int) id.pid()).filter(session::equals).isPresent())
        .ifPresent(id -> tree.add((int) id.pid(), id.startTicks()));
    Optional<Identity> supervisor = alive.filter(id -> ProcessEntry.names((int) id.pid(), session));
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
        children.stream().filter(each -> ProcessEntry.names(each.pid(), session)).findFirst();
    Optional<ProcessEntry> outermost =
        supervisor.or(() ->
            children.stream()
                .filter(each -> ProcessEntry.cookie(each.pid()).filter(session::equals).isPresent())
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

  /** The matching sessions with live processes, and how many, by one pass over /proc. */
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

  /**
   * Finds the processes of one session where no namespace holds them: those with its cookie, in its
   * kernel sessions, seen before, or below any of these. What was seen is remembered, because the
   * link to a parent is lost with the parent.
   *
   * <p>It misses a process that left everything behind between two scans. One thread at a time uses
   * it.
   */
  private static final class Members {
    private static final int REQUIRED_SCANS = 5;
    private static final Duration BETWEEN_SCANS = Duration.ofMillis(20);

    private final String session;

    /**
     * Start times of members by pid. An entry is dropped when the process has exited, since its pid
     * may then belong to any process.
     */
    private final Map<Integer, Long> seen = new HashMap<>();

    /** Kernel sessions led by a member, and the leader's start time. */
    private final Map<Integer, Long> led = new HashMap<>();

    /** Those kernel sessions in which no process was seen yet. */
    private final Set<Integer> expected = new HashSet<>();

    /**
     * Start times of the processes that, at the last scan, were not members, or dead. Read and
     * replaced by {@link #members}.
     */
    private Map<Integer, Long> others = new HashMap<>();

    /**
     * Whether the last scan saw everything. A process that ended between being listed and being
     * read may have been a member, and may have left a child that was not listed yet. In this way
     * one that moves to a new pid every 8 ms was missed five times in a row on a busy machine.
     */
    private boolean conclusive;

    /** When the session's first process started; no older process can belong to it. */
    private long oldest = Long.MAX_VALUE;

    Members(String session) {
      this.session = session;
    }

    /**
     * Remembers a process as a member that leads a kernel session, or will soon. The agent may die,
     * and leave a child that cleaned its environment, before any scan saw that it leads one.
     */
    void add(int pid, long startTicks) {
      seen.put(pid, startTicks);
      led.put(pid, startTicks);
      expected.add(pid);
      oldest = Math.min(oldest, startTicks);
    }

    /** All members in this reading, zombies included. */
    List<ProcessEntry> members(ProcessTable table) {
      int self = (int) ProcessHandle.current().pid();
      var found = new HashMap<Integer, ProcessEntry>();
      var order = new ArrayList<ProcessEntry>();
      var outside = new HashMap<Integer, Long>();
      conclusive = table.complete() || others.keySet().containsAll(table.vanished());
      for (ProcessEntry entry : table.all()) {
        if (entry.pid() != self && entry.pid() > 1 && isMember(entry, table)) {
          found.put(entry.pid(), entry);
          order.add(entry);
        } else {
          conclusive &=
              isOlder(entry)
                  || is(others, entry.pid(), entry.startTicks())
                  || table.complete()
                  || entry.stillRuns();
          outside.put(entry.pid(), entry.startTicks());
        }
      }
      others = outside;
      for (int i = 0; i < order.size(); i++) {
        for (ProcessEntry child : table.children(order.get(i).pid())) {
          if (child.pid() != self && found.put(child.pid(), child) == null) {
            order.add(child);
          }
        }
      }
      remember(order);
      return order;
    }

    /**
     * Ends all members: stops and kills them until five conclusive scans in a row find none, or
     * time is up. Returns how many still live; at least one where the scans could not decide.
     */
    int killAll(Duration limit) {
      long end = System.nanoTime() + limit.toNanos();
      int cleanScans = 0;
      boolean interrupted = false;
      int left;
      do {
        ProcessTable table = ProcessTable.readClosely();
        List<ProcessEntry> live = members(table).stream().filter(ProcessEntry::alive).toList();
        left = live.size();
        ProcessEntry.stopAndKill(live);
        if (left > 0 || !conclusive) {
          chase(table);
        }
        if (left > 0) {
          cleanScans = 0;
        } else if (conclusive) {
          cleanScans++;
        }
        interrupted |= KillSequence.pause(left == 0 ? BETWEEN_SCANS : Duration.ofMillis(1));
      } while (cleanScans < REQUIRED_SCANS && System.nanoTime() < end);
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
      return cleanScans < REQUIRED_SCANS ? Math.max(1, left) : 0;
    }

    /**
     * Stops and kills members that appeared since a reading, immediately. A whole scan takes longer
     * than some processes live under one pid, above all on a busy machine, and would find only
     * where they were.
     */
    private void chase(ProcessTable since) {
      for (int pid : ProcessTable.pids()) {
        if (since.find(pid).isEmpty()) {
          ProcessEntry.read(pid)
              .filter(ProcessEntry::alive)
              .filter(entry -> ProcessEntry.cookie(entry.pid()).filter(session::equals).isPresent())
              .ifPresent(entry -> ProcessEntry.stopAndKill(List.of(entry)));
        }
      }
    }

    /**
     * Whether a process is older than the session. The environment of such a process is not read: a
     * scan that takes longer than 8 ms never catches up with a process that moves as fast.
     */
    private boolean isOlder(ProcessEntry entry) {
      return oldest != Long.MAX_VALUE && entry.startTicks() < oldest;
    }

    private boolean isMember(ProcessEntry entry, ProcessTable table) {
      if (is(seen, entry.pid(), entry.startTicks())) {
        return true;
      }
      if (isOlder(entry)) {
        return false;
      }
      Long leader = led.get(entry.session());
      if (leader != null
          && entry.startTicks() >= leader
          && table
              .find(entry.session())
              .map(ProcessEntry::startTicks)
              .orElse(leader)
              .equals(leader)) {
        return true;
      }
      return table.cookie(entry).filter(session::equals).isPresent();
    }

    private void remember(List<ProcessEntry> members) {
      Set<Integer> sessions = new HashSet<>();
      seen.clear();
      for (ProcessEntry member : members) {
        seen.put(member.pid(), member.startTicks());
        sessions.add(member.session());
        if (member.pid() == member.session()) {
          led.put(member.pid(), member.startTicks());
        }
      }
      expected.removeAll(sessions);
      // The id of an empty kernel session may be reused by any process.
      led.keySet().removeIf(leader -> !sessions.contains(leader) && !expected.contains(leader));
    }

    private static boolean is(Map<Integer, Long> known, int pid, long startTicks) {
      Long ticks = known.get(pid);
      return ticks != null && ticks == startTicks;
    }
  }
}
