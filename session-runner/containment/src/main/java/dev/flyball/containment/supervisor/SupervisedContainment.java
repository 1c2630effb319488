package dev.flyball.containment.supervisor;

import static java.util.stream.Collectors.toSet;

import dev.flyball.containment.CannotStart;
import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.containment.Containment;
import dev.flyball.containment.Launch;
import dev.flyball.containment.kernel.Kernel;
import dev.flyball.containment.kernel.ProcessEntry;
import dev.flyball.containment.kernel.ProcessTable;
import dev.flyball.containment.kill.KillSequence;
import dev.flyball.containment.session.SessionFiles;
import dev.flyball.containment.session.Spawner;
import dev.flyball.containment.warden.NativeWarden;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Level B: a supervisor for each session, which becomes the parent of every descendant that loses
 * its own, and that holds the deadman's deadline. It is the warden in C, twice: one around the
 * other. It needs only a Linux kernel, so it works in containers that deny namespaces.
 *
 * <p>No process can leave the tree. But an agent of the same user can kill both of its supervisors;
 * the runner then adopts what is left.
 */
public final class SupervisedContainment implements Containment {
  private static final int OWN_PID = (int) ProcessHandle.current().pid();

  private final NativeWarden warden;

  /** Makes this JVM adopt what killed supervisors leave. */
  public SupervisedContainment(NativeWarden warden) throws CannotStart {
    if (!Kernel.adoptOrphans()) {
      throw new CannotStart("containment", "prctl(PR_SET_CHILD_SUBREAPER) failed");
    }
    this.warden = warden;
  }

  @Override
  public String toString() {
    return level().label();
  }

  @Override
  public Level level() {
    return Level.B;
  }

  @Override
  public ContainedProcess startUntil(Launch launch, Duration until) throws IOException {
    return warden.supervise(
        launch,
        until,
        (process, identity, files) -> new Tree(launch.session(), process, identity, files));
  }

  /**
   * The adopted processes that started since then. Their kernel session distinguishes them from
   * this JVM's own children: each agent begins one, which nothing can join from outside. Zombies
   * among them are reaped, because the JDK waits only for what it has started.
   */
  static List<ProcessEntry> adopted(ProcessTable table, long sinceTicks) {
    int ownSession = table.find(OWN_PID).map(ProcessEntry::session).orElse(0);
    return table.children(OWN_PID).stream()
        .filter(child -> isAdopted(child, ownSession, sinceTicks))
        .filter(child -> child.alive() || !Kernel.reap(child.pid()))
        .toList();
  }

  /** Adopted processes as the kernel lists them; reading all of /proc takes much longer. */
  private static List<ProcessEntry> adoptedNow(long sinceTicks) {
    int ownSession = ProcessEntry.read(OWN_PID).map(ProcessEntry::session).orElse(0);
    return ProcessTable.children().stream()
        .filter(child -> isAdopted(child, ownSession, sinceTicks))
        .toList();
  }

  private static boolean isAdopted(ProcessEntry child, int ownSession, long sinceTicks) {
    return child.session() != ownSession
        && child.startTicks() >= sinceTicks
        && !Spawner.started(child.pid());
  }

  /**
   * The processes of a session at level B: everything below its supervisor, and what the supervisor
   * left behind if it was killed.
   */
  private static final class Tree implements KillSequence.Tree {
    /** After so many kill rounds in a row without a process, the supervisor must be stuck. */
    private static final int EMPTY_ROUNDS = 200;

    private final String session;
    private final Process supervisor;
    private final Identity identity;
    private final SessionFiles files;

    /**
     * Adopted processes, by pid and start time, that existed while the supervisor ran. They belong
     * to another session, because nothing of this one had a reason to be adopted then.
     */
    private final Map<Integer, Long> others = new ConcurrentHashMap<>();

    /** Both are written and read by the thread that kills, under the kill sequence's monitor. */
    private boolean conclusive;

    private int emptyRounds;

    Tree(String session, Process supervisor, Identity identity, SessionFiles files) {
      this.session = session;
      this.supervisor = supervisor;
      this.identity = identity;
      this.files = files;
    }

    @Override
    public void prepareKill() {
      if (endedInOrder() || members(ProcessTable.read()).isEmpty()) {
        // No agent exists that could be asked to end, and from now on none may start.
        files.passDeadline();
      }
    }

    /**
     * Finds the session's processes. While the supervisor lives, everything of the agent is below
     * it, and what this JVM has adopted belongs to another session. So no session is blamed for
     * another's processes.
     */
    @Override
    public List<ProcessEntry> members(ProcessTable table) {
      List<ProcessEntry> adopted = adopted(table, identity.startTicks());
      if (supervisor.isAlive()) {
        if (table.find((int) identity.pid()).filter(ProcessEntry::stillRuns).isPresent()) {
          others.keySet().retainAll(adopted.stream().map(ProcessEntry::pid).toList());
          adopted.forEach(other -> others.put(other.pid(), other.startTicks()));
        }
        return table.descendants((int) identity.pid()).stream()
            .filter(one -> !isWarden(one))
            .toList();
      }
      if (endedInOrder()) {
        return List.of();
      }
      List<ProcessEntry> left = ours(adopted);
      return Stream.concat(
              left.stream(),
              left.stream().flatMap(child -> table.descendants(child.pid()).stream()))
          .toList();
    }

    private List<ProcessEntry> ours(List<ProcessEntry> adopted) {
      return adopted.stream()
          .filter(one -> !Objects.equals(others.get(one.pid()), one.startTicks()))
          .toList();
    }

    /**
     * The agent itself: the oldest child of the supervisor, or of the second one that it started;
     * the other children were orphans once.
     */
    @Override
    public Optional<ProcessEntry> agent(ProcessTable table) {
      int outer = (int) identity.pid();
      int inner =
          table.children(outer).stream()
              .filter(this::isWarden)
              .mapToInt(ProcessEntry::pid)
              .findFirst()
              .orElse(outer);
      return table.oldestChild(inner);
    }

    /** Agents begin a kernel session, which no process can join; a second supervisor stays. */
    private boolean isWarden(ProcessEntry entry) {
      return entry.session() == identity.pid();
    }

    /**
     * Kills everything but the supervisor, which notices when nothing is left and then ends.
     * Without it, a process that forks just now would get another parent and be harder to find. A
     * stopped supervisor is continued.
     */
    @Override
    public void killAll(ProcessTable table) {
      files.passDeadline();
      List<ProcessEntry> found = survivors(table);
      ProcessEntry.stopAndKill(found);
      if (!supervisor.isAlive() && !endedInOrder()) {
        // A reading of /proc takes longer than some processes live under one pid.
        ProcessEntry.stopAndKill(ours(adoptedNow(identity.startTicks())));
      }
      if (supervisor.isAlive()) {
        Kernel.signal((int) supervisor.pid(), Kernel.CONT);
        emptyRounds = found.isEmpty() ? emptyRounds + 1 : 0;
        if (emptyRounds > EMPTY_ROUNDS) {
          supervisor.destroyForcibly();
        }
      }
    }

    @Override
    public List<ProcessEntry> survivors(ProcessTable table) {
      conclusive = table.complete() || table.vanished().isEmpty();
      return Stream.concat(members(table).stream(), outside(table).stream())
          .filter(ProcessEntry::alive)
          .distinct()
          .toList();
    }

    /**
     * Processes that a program outside this JVM started for the agent, found by the cookie. Below
     * this JVM descent decides, because an agent can give its processes another session's cookie.
     */
    private List<ProcessEntry> outside(ProcessTable table) {
      Set<Integer> below =
          table.descendants(OWN_PID).stream().map(ProcessEntry::pid).collect(toSet());
      return table.carriers(session, identity.startTicks()).stream()
          .filter(carrier -> !below.contains(carrier.pid()))
          .toList();
    }

    @Override
    public ProcessTable scan() {
      return endedInOrder() ? ProcessTable.read() : ProcessTable.readClosely();
    }

    /** A supervisor records that nothing is left only when the kernel has reported it. */
    @Override
    public boolean conclusive() {
      return conclusive || endedInOrder();
    }

    @Override
    public int requiredScans() {
      return endedInOrder() ? 1 : 5;
    }

    @Override
    public boolean provedEmpty() {
      return endedInOrder();
    }

    @Override
    public boolean running() {
      return supervisor.isAlive();
    }

    private boolean endedInOrder() {
      return !supervisor.isAlive() && files.endedInOrder();
    }
  }
}
