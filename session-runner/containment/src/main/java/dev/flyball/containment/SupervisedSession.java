package dev.flyball.containment;

import dev.flyball.containment.ProcessTable.Entry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A session at level B: everything below its supervisor, and what the supervisor left behind if it
 * was killed.
 */
final class SupervisedSession implements ContainedProcess, KillSequence.Tree {
  /**
   * After this many kill rounds in a row that find no process, the supervisor itself must be stuck.
   */
  private static final int PATIENCE = 200;

  private final String session;
  private final Process supervisor;
  private final Identity identity;
  private final Deadline deadline;
  private final CompletableFuture<Exit> exit;
  private final KillSequence climb;

  /**
   * Adopted processes, by pid and start time, that existed while the supervisor ran. They belong to
   * another session, because nothing of this one had a reason to be adopted then.
   */
  private final Map<Integer, Long> others = new ConcurrentHashMap<>();

  /**
   * Whether the supervisor ended in order; null until it has ended. Guarded by the deadline's
   * monitor.
   */
  private @Nullable Boolean vouched;

  /** Whether the deadline stays in the past for good. Guarded by the deadline's monitor. */
  private boolean refused;

  /** Both are written and read by the thread that climbs, under the climb's monitor. */
  private boolean sure;

  private int idleBlows;

  SupervisedSession(String session, Process supervisor, Deadline deadline, List<Path> files) {
    this.session = session;
    this.supervisor = supervisor;
    this.deadline = deadline;
    this.identity = Identities.of((int) supervisor.pid());
    this.climb = new KillSequence(this);
    this.exit =
        supervisor
            .onExit()
            .thenApply(ended -> {
              files.forEach(PromptFile::forget);
              vouched();
              close();
              return Exit.of(ended.exitValue());
            });
  }

  @Override
  public Identity identity() {
    return identity;
  }

  @Override
  public InputStream out() {
    return supervisor.getInputStream();
  }

  @Override
  public InputStream err() {
    return supervisor.getErrorStream();
  }

  @Override
  public boolean extendTo(Duration end) {
    synchronized (deadline) {
      if (refused) {
        return false;
      }
      try {
        deadline.write(BootClock.centisOf(end));
        return supervisor.isAlive();
      } catch (IOException e) {
        return false;
      }
    }
  }

  @Override
  public CompletableFuture<Exit> onExit() {
    return exit;
  }

  @Override
  public Sample sample(Duration age) {
    return climb.seen(ProcessTable.recent(age));
  }

  @Override
  public KillReport kill(KillLadder ladder) {
    if (members(ProcessTable.read()).isEmpty()) {
      // No agent exists yet that could be asked to end, and from now on none may start.
      refuse();
    }
    return climb.climb(ladder);
  }

  /**
   * Finds the session's processes. While the supervisor lives, everything of the agent is below it,
   * and what this JVM has adopted belongs to another session. So no session is blamed for another's
   * processes.
   */
  @Override
  public List<Entry> members(ProcessTable table) {
    List<Entry> adopted = Orphans.adopted(table, identity.startTicks());
    if (supervisor.isAlive()) {
      if (table.find((int) identity.pid()).filter(ProcessTable::stillRuns).isPresent()) {
        others.keySet().retainAll(adopted.stream().map(Entry::pid).toList());
        adopted.forEach(other -> others.put(other.pid(), other.startTicks()));
      }
      return table.descendants((int) identity.pid());
    }
    return vouched() ? List.of() : Orphans.withTheirs(table, ours(adopted));
  }

  private List<Entry> ours(List<Entry> adopted) {
    return adopted.stream()
        .filter(one -> !Objects.equals(others.get(one.pid()), one.startTicks()))
        .toList();
  }

  /** The agent itself: the oldest of the supervisor's children; the others were orphans once. */
  @Override
  public List<Entry> main(ProcessTable table) {
    return table.children((int) identity.pid()).stream()
        .filter(Entry::alive)
        .min(Comparator.comparingLong(Entry::startTicks).thenComparingInt(Entry::pid))
        .stream()
        .toList();
  }

  /**
   * Kills everything but the supervisor, which notices when nothing is left and then ends. Without
   * it, a process that forks just now would get another parent and be harder to find. A stopped
   * supervisor is continued.
   */
  @Override
  public void killAll(ProcessTable table) {
    refuse();
    List<Entry> found = left(table);
    ProcessSignals.strike(found);
    if (!supervisor.isAlive() && !vouched()) {
      // A reading of /proc takes longer than some processes live under one pid.
      ProcessSignals.strike(ours(Orphans.adoptedNow(identity.startTicks())));
    }
    if (supervisor.isAlive()) {
      Kernel.signal((int) supervisor.pid(), Kernel.CONT);
      idleBlows = found.isEmpty() ? idleBlows + 1 : 0;
      if (idleBlows > PATIENCE) {
        supervisor.destroyForcibly();
      }
    }
  }

  @Override
  public List<Entry> left(ProcessTable table) {
    sure = table.complete() || table.vanished().isEmpty();
    return Stream.concat(members(table).stream(), outside(table).stream())
        .filter(Entry::alive)
        .distinct()
        .toList();
  }

  /**
   * Processes that a program outside this JVM started for the agent, found by the cookie. Below
   * this JVM descent decides, because an agent can give its processes another session's cookie.
   */
  private List<Entry> outside(ProcessTable table) {
    Set<Integer> below = Orphans.belowThisJvm(table);
    return Cookie.carriers(table, session, identity.startTicks()).stream()
        .filter(carrier -> !below.contains(carrier.pid()))
        .toList();
  }

  @Override
  public ProcessTable look() {
    return vouched() ? ProcessTable.read() : ProcessTable.readClosely();
  }

  /** A supervisor records that nothing is left only when the kernel has reported it. */
  @Override
  public boolean sure() {
    return sure || vouched();
  }

  @Override
  public int cleanLooks() {
    return vouched() ? 1 : 5;
  }

  @Override
  public boolean running() {
    return supervisor.isAlive();
  }

  /**
   * Whether the supervisor recorded that nothing is left. The first thread that sees the end reads
   * it, because the file is closed with the exit.
   */
  private boolean vouched() {
    if (supervisor.isAlive()) {
      return false;
    }
    synchronized (deadline) {
      Boolean known = vouched;
      if (known == null) {
        known = deadline.vouched();
        vouched = known;
      }
      return known;
    }
  }

  /**
   * Moves the deadline into the past for good: the supervisor starts nothing, and ends what runs.
   */
  private void refuse() {
    synchronized (deadline) {
      refused = true;
      try {
        deadline.write(0);
      } catch (IOException e) {
        // The supervisor has exited, or the disk fails; what runs is killed from here anyway.
        refused = true;
      }
    }
  }

  private void close() {
    try {
      deadline.close();
    } catch (IOException e) {
      // The file's name is removed already; the file goes with the descriptor.
      refused = true;
    }
  }
}
