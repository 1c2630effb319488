package dev.flyball.containment.supervisor;

import static java.util.stream.Collectors.toSet;

import dev.flyball.containment.CannotStart;
import dev.flyball.containment.kernel.Kernel;
import dev.flyball.containment.kernel.ProcessEntry;
import dev.flyball.containment.kernel.ProcessTable;
import dev.flyball.containment.session.Spawner;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Finds what killed supervisors left. This JVM is a subreaper too, so their trees become its
 * children, whatever a process did to hide where it belongs.
 */
final class Orphans {
  private static final int OWN_PID = (int) ProcessHandle.current().pid();

  private Orphans() {}

  /** Makes orphans below this JVM its children, from now on. */
  static void adopt() throws CannotStart {
    if (!Kernel.adoptOrphans()) {
      throw new CannotStart("containment", "prctl(PR_SET_CHILD_SUBREAPER) failed");
    }
  }

  /** The adopted processes that started since then, and everything below them. */
  static List<ProcessEntry> of(ProcessTable table, long sinceTicks) {
    return withTheirs(table, adopted(table, sinceTicks));
  }

  /** These adopted processes and everything below them. */
  static List<ProcessEntry> withTheirs(ProcessTable table, List<ProcessEntry> adopted) {
    var found = new ArrayList<ProcessEntry>(adopted);
    adopted.forEach(child -> found.addAll(table.descendants(child.pid())));
    return found;
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

  /**
   * The adopted processes as the kernel lists them now; a reading of all of /proc takes much
   * longer.
   */
  static List<ProcessEntry> adoptedNow(long sinceTicks) {
    int ownSession = ProcessEntry.read(OWN_PID).map(ProcessEntry::session).orElse(0);
    return ProcessTable.children().stream()
        .filter(child -> isAdopted(child, ownSession, sinceTicks))
        .toList();
  }

  /** Pids of this JVM's descendants: descent alone decides to which session they belong. */
  static Set<Integer> belowThisJvm(ProcessTable table) {
    return table.descendants(OWN_PID).stream().map(ProcessEntry::pid).collect(toSet());
  }

  private static boolean isAdopted(ProcessEntry child, int ownSession, long sinceTicks) {
    return child.session() != ownSession
        && child.startTicks() >= sinceTicks
        && !Spawner.started(child.pid());
  }
}
