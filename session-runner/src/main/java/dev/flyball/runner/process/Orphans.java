package dev.flyball.runner.process;

import dev.flyball.runner.process.ProcessTable.Entry;
import java.util.ArrayList;
import java.util.List;

/**
 * What supervisors left behind that were themselves killed: this JVM is a subreaper too, so their
 * trees come to it, whatever a process did to hide where it belongs.
 */
final class Orphans {
  private static final int OWN_PID = (int) ProcessHandle.current().pid();

  private Orphans() {}

  /** From now on orphans below this JVM become its children. */
  static void adopt() throws CannotStart {
    if (!Kernel.adoptOrphans()) {
      throw new CannotStart("containment", "prctl(PR_SET_CHILD_SUBREAPER) was refused");
    }
  }

  /**
   * The adopted ones that started since then, and everything below them. Told from this JVM's own
   * children by their kernel session: each agent begins one, which nothing can join from outside.
   * Zombies among them are reaped, for the JDK waits only for what it has started.
   */
  static List<Entry> of(ProcessTable table, long sinceTicks) {
    int ownSession = table.find(OWN_PID).map(Entry::session).orElse(0);
    var found = new ArrayList<Entry>();
    for (Entry child : table.children(OWN_PID)) {
      if (isAdopted(child, ownSession, sinceTicks)) {
        if (child.alive() || !Kernel.reap(child.pid())) {
          found.add(child);
        }
        found.addAll(table.descendants(child.pid()));
      }
    }
    return found;
  }

  /**
   * Strikes at once at the adopted ones, which the kernel lists: a whole reading of /proc takes
   * longer than some live under one pid.
   */
  static void chase(long sinceTicks) {
    int ownSession = ProcessTable.entry(OWN_PID).map(Entry::session).orElse(0);
    Tracks.strike(
        ProcessTable.children().stream()
            .filter(child -> isAdopted(child, ownSession, sinceTicks))
            .toList());
  }

  private static boolean isAdopted(Entry child, int ownSession, long sinceTicks) {
    return child.session() != ownSession
        && child.startTicks() >= sinceTicks
        && !Spawner.started(child.pid());
  }
}
