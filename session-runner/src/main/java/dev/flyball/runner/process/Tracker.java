package dev.flyball.runner.process;

import dev.flyball.runner.process.ProcessTable.Entry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Knows the processes of one session where no namespace holds them: those with its cookie, in its
 * kernel sessions, seen before, or below any of these. What was seen is remembered, because the
 * link to a parent is gone when the parent is. Misses a process that left everything behind between
 * two looks. One thread at a time uses it.
 */
final class Tracker {
  private static final int CLEAN_LOOKS = 5;
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(20);

  private final String session;

  /**
   * Start times of members by pid; forgotten when the process is gone, since its pid may then be
   * anybody's.
   */
  private final Map<Integer, Long> seen = new HashMap<>();

  /** Kernel sessions led by a member, and the leader's start time. */
  private final Map<Integer, Long> led = new HashMap<>();

  /** Of these, the ones that nobody was seen in yet. */
  private final Set<Integer> promised = new HashSet<>();

  /**
   * Start times of the processes that the last look knew to be none of ours, or dead. Read and
   * replaced by {@link #members}.
   */
  private Map<Integer, Long> strangers = new HashMap<>();

  /**
   * Whether the last look saw everything. A process that ended between being listed and being read
   * may have been ours, and have left a child that was not listed yet: in this way one that moves
   * to a new pid every 8 ms was missed five times in a row on a busy machine.
   */
  private boolean sure;

  /** When the session's first process started; none that is older can be its. */
  private long oldest = Long.MAX_VALUE;

  Tracker(String session) {
    this.session = session;
  }

  /**
   * Remembers a process as a member that leads a kernel session, or is about to: the agent may die,
   * and leave a child that cleaned its environment, before anybody saw that it leads one.
   */
  void add(int pid, long startTicks) {
    seen.put(pid, startTicks);
    led.put(pid, startTicks);
    promised.add(pid);
    oldest = Math.min(oldest, startTicks);
  }

  /** All members in this reading, zombies included. */
  List<Entry> members(ProcessTable table) {
    int self = (int) ProcessHandle.current().pid();
    var found = new HashMap<Integer, Entry>();
    var order = new ArrayList<Entry>();
    var others = new HashMap<Integer, Long>();
    sure = table.complete() || strangers.keySet().containsAll(table.vanished());
    for (Entry entry : table.all()) {
      if (entry.pid() != self && entry.pid() > 1 && isMember(entry, table)) {
        found.put(entry.pid(), entry);
        order.add(entry);
      } else {
        sure &=
            isOlder(entry)
                || is(strangers, entry.pid(), entry.startTicks())
                || table.complete()
                || ProcessTable.stillRuns(entry);
        others.put(entry.pid(), entry.startTicks());
      }
    }
    strangers = others;
    for (int i = 0; i < order.size(); i++) {
      for (Entry child : table.children(order.get(i).pid())) {
        if (child.pid() != self && found.put(child.pid(), child) == null) {
          order.add(child);
        }
      }
    }
    remember(order);
    return order;
  }

  /**
   * Ends all members: stops and kills until five sure looks in a row find none, or time is up.
   * Answers how many live on; one at least where the looks could not tell.
   */
  int killAll(Duration limit) {
    long end = System.nanoTime() + limit.toNanos();
    int clean = 0;
    boolean interrupted = false;
    int left;
    do {
      ProcessTable table = ProcessTable.readClosely();
      List<Entry> live = members(table).stream().filter(Entry::alive).toList();
      left = live.size();
      Tracks.strike(live);
      if (left > 0 || !sure) {
        chase(table);
      }
      if (left > 0) {
        clean = 0;
      } else if (sure) {
        clean++;
      }
      interrupted |= Tracks.pause(left == 0 ? BETWEEN_LOOKS : Duration.ofMillis(1));
    } while (clean < CLEAN_LOOKS && System.nanoTime() < end);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return clean < CLEAN_LOOKS ? Math.max(1, left) : 0;
  }

  /**
   * Strikes immediately at members that appeared since a reading. A whole look takes longer than
   * some live under one pid, above all on a busy machine, and would find only where they were.
   */
  private void chase(ProcessTable since) {
    for (int pid : ProcessTable.pids()) {
      if (since.find(pid).isEmpty()) {
        ProcessTable.entry(pid)
            .filter(Entry::alive)
            .filter(entry -> Cookie.of(entry.pid()).filter(session::equals).isPresent())
            .ifPresent(entry -> Tracks.strike(List.of(entry)));
      }
    }
  }

  /**
   * Whether a process was there before the session. Such a one is not asked for its environment: a
   * look that takes longer than 8 ms never catches up with a process that moves as fast.
   */
  private boolean isOlder(Entry entry) {
    return oldest != Long.MAX_VALUE && entry.startTicks() < oldest;
  }

  private boolean isMember(Entry entry, ProcessTable table) {
    if (is(seen, entry.pid(), entry.startTicks())) {
      return true;
    }
    if (isOlder(entry)) {
      return false;
    }
    Long leader = led.get(entry.session());
    if (leader != null
        && entry.startTicks() >= leader
        && table.find(entry.session()).map(Entry::startTicks).orElse(leader).equals(leader)) {
      return true;
    }
    return table.cookie(entry).filter(session::equals).isPresent();
  }

  private void remember(List<Entry> members) {
    Set<Integer> sessions = new HashSet<>();
    seen.clear();
    for (Entry member : members) {
      seen.put(member.pid(), member.startTicks());
      sessions.add(member.session());
      if (member.pid() == member.session()) {
        led.put(member.pid(), member.startTicks());
      }
    }
    promised.removeAll(sessions);
    // An empty kernel session's number may be anybody's next.
    led.keySet().removeIf(leader -> !sessions.contains(leader) && !promised.contains(leader));
  }

  private static boolean is(Map<Integer, Long> known, int pid, long startTicks) {
    Long ticks = known.get(pid);
    return ticks != null && ticks == startTicks;
  }
}
