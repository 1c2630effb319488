package dev.flyball.containment.kernel;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/**
 * Every process of this machine as /proc showed it in one pass; about 2.5 ms for 200 processes.
 * Immutable; any thread may read it.
 */
public final class ProcessTable {
  private static final Path PROC = Path.of("/proc");
  private static final int OWN_PID = (int) ProcessHandle.current().pid();

  /** Most listings of a close reading; only endless starts of programs need more than a few. */
  private static final int ROUNDS = 8;

  private static final Path OWN_THREADS = PROC.resolve("self/task");
  private static final AtomicReference<ProcessTable> NEWEST =
      new AtomicReference<>(
          new ProcessTable(
              Map.of(), Set.of(), System.nanoTime() - Duration.ofDays(1).toNanos(), false));

  private final Map<Integer, ProcessEntry> byPid;
  private final Map<Integer, List<ProcessEntry>> byParent = new HashMap<>();
  private final Set<Integer> vanished;

  /** By pid; each process's cookie is read once for all sessions. */
  private final Map<Integer, Optional<String>> cookies = new ConcurrentHashMap<>();

  private final long readAt;

  /** Whether the last listing showed no new process. */
  private final boolean complete;

  private ProcessTable(
      Map<Integer, ProcessEntry> byPid, Set<Integer> vanished, long readAt, boolean complete) {
    this.complete = complete;
    this.byPid = byPid;
    this.vanished = vanished;
    this.readAt = readAt;
    for (ProcessEntry entry : byPid.values()) {
      byParent.computeIfAbsent(entry.parent(), pid -> new ArrayList<>()).add(entry);
    }
  }

  /** Reads /proc now. */
  public static ProcessTable read() {
    long at = System.nanoTime();
    var found = new HashMap<Integer, ProcessEntry>();
    var vanished = new HashSet<Integer>();
    for (int pid : pids()) {
      ProcessEntry.read(pid).ifPresentOrElse(e -> found.put(pid, e), () -> vanished.add(pid));
    }
    var table = new ProcessTable(found, vanished, at, false);
    NEWEST.set(table);
    return table;
  }

  /**
   * Reads /proc now. It first reads the processes that the last reading did not know, with their
   * cookies, and lists again until no new process appears.
   *
   * <p>Then no process that had exited before it was read has an unread child: a child is born
   * before its parent dies, so it was listed. One listing alone could not prove that for any
   * program that ended meanwhile, and on a busy machine some always do.
   */
  public static ProcessTable readClosely() {
    long at = System.nanoTime();
    ProcessTable before = NEWEST.get();
    var found = new HashMap<Integer, ProcessEntry>();
    var cookies = new HashMap<Integer, Optional<String>>();
    var listed = new HashSet<Integer>();
    boolean complete = false;
    for (int round = 0; round < ROUNDS && !complete; round++) {
      complete = true;
      for (int pid : pids()) {
        if (before.find(pid).isEmpty() && listed.add(pid)) {
          complete = false;
          ProcessEntry.read(pid)
              .ifPresent(one -> {
                found.put(pid, one);
                cookies.put(pid, ProcessEntry.cookie(pid));
              });
        }
      }
    }
    var vanished = new HashSet<>(listed);
    vanished.removeAll(found.keySet());
    for (int pid : before.byPid.keySet()) {
      ProcessEntry.read(pid).ifPresentOrElse(e -> found.put(pid, e), () -> vanished.add(pid));
    }
    var table = new ProcessTable(found, vanished, at, complete);
    table.cookies.putAll(cookies);
    NEWEST.set(table);
    return table;
  }

  /**
   * The live children of this process by the kernel's list for each thread, which is quick to read;
   * none where the kernel keeps no such list. Orphans that this process adopted are among them.
   */
  public static List<ProcessEntry> children() {
    var found = new ArrayList<ProcessEntry>();
    String[] threads = OWN_THREADS.toFile().list();
    for (String thread : threads == null ? new String[0] : threads) {
      for (int pid : childrenOf(thread)) {
        ProcessEntry.read(pid)
            .filter(one -> one.alive() && one.parent() == OWN_PID)
            .ifPresent(found::add);
      }
    }
    return found;
  }

  private static List<Integer> childrenOf(String thread) {
    try {
      String text = Files.readString(OWN_THREADS.resolve(thread).resolve("children"));
      return text.isBlank()
          ? List.of()
          : Stream.of(text.strip().split(" ")).map(Integer::valueOf).toList();
    } catch (IOException | NumberFormatException e) {
      return List.of();
    }
  }

  /** All pids that /proc lists now. */
  public static List<Integer> pids() {
    var found = new ArrayList<Integer>();
    try (var folders = Files.newDirectoryStream(PROC, "[0-9]*")) {
      folders.forEach(folder -> found.add(Integer.valueOf(folder.getFileName().toString())));
    } catch (IOException | DirectoryIteratorException e) {
      throw new IllegalStateException("/proc cannot be listed; mount it", e);
    }
    return found;
  }

  /** The last reading if it is at most this old, else a new one: sessions share a pass. */
  public static ProcessTable recent(Duration age) {
    if (age.isZero()) {
      return read();
    }
    ProcessTable newest = NEWEST.get();
    if (newest.isOlder(age)) {
      // A thread that calls meanwhile waits for this pass instead of making another.
      synchronized (NEWEST) {
        newest = NEWEST.get();
        if (newest.isOlder(age)) {
          newest = read();
        }
      }
    }
    return newest;
  }

  private boolean isOlder(Duration age) {
    return System.nanoTime() - readAt > age.toNanos();
  }

  /** The process with this pid in this reading. */
  public Optional<ProcessEntry> find(int pid) {
    return Optional.ofNullable(byPid.get(pid));
  }

  /** Whether nothing can have been missed: see {@link #readClosely}. */
  public boolean complete() {
    return complete;
  }

  /** Pids that were listed, and whose processes had exited before they could be read. */
  public Set<Integer> vanished() {
    return vanished;
  }

  /** The session whose cookie a process carries; read on the first call. */
  public Optional<String> cookie(ProcessEntry entry) {
    return cookies.computeIfAbsent(entry.pid(), ProcessEntry::cookie);
  }

  /**
   * The live processes that carry this session's cookie. A process older than the session's first
   * process cannot descend from it and is not read. Reading the environment of every process of a
   * machine cost more than the session itself.
   *
   * @param sinceTicks start time of the session's first process, 0 if it is unknown
   */
  public List<ProcessEntry> carriers(String session, long sinceTicks) {
    return byPid.values().stream()
        .filter(entry -> entry.alive() && entry.startTicks() >= sinceTicks)
        .filter(entry -> cookie(entry).filter(session::equals).isPresent())
        .toList();
  }

  /** Every process in this reading. */
  public Collection<ProcessEntry> all() {
    return byPid.values();
  }

  /** The children of a process. */
  public List<ProcessEntry> children(int pid) {
    return byParent.getOrDefault(pid, List.of());
  }

  /** The oldest live child of a process. */
  public Optional<ProcessEntry> oldestChild(int pid) {
    return children(pid).stream()
        .filter(ProcessEntry::alive)
        .min(
            Comparator.comparingLong(ProcessEntry::startTicks).thenComparingInt(ProcessEntry::pid));
  }

  /** Everything below a process, without the process. */
  public List<ProcessEntry> descendants(int pid) {
    var found = new ArrayList<ProcessEntry>(children(pid));
    for (int i = 0; i < found.size() && found.size() <= byPid.size(); i++) {
      found.addAll(children(found.get(i).pid()));
    }
    return found;
  }
}
