package dev.flyball.containment.namespace;

import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.containment.cgroup.CgroupLeaf;
import dev.flyball.containment.kernel.Cookie;
import dev.flyball.containment.kernel.Kernel;
import dev.flyball.containment.kernel.ProcessEntry;
import dev.flyball.containment.kernel.ProcessTable;
import dev.flyball.containment.kill.KillSequence;
import dev.flyball.containment.warden.NativeWarden;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * The processes of a session at level A or A+. The warden's child is the namespace's init; between
 * them is unshare where a shell replaces it. All else descends from init.
 */
final class NamespaceTree implements KillSequence.Tree {
  private final String session;
  private final Process warden;
  private final Identity identity;
  private final @Nullable CgroupLeaf leaf;
  private final boolean byUnshare;

  /**
   * The namespace's first process, once it was seen; any thread that counts or kills writes and
   * reads it.
   */
  private volatile @Nullable ProcessEntry init;

  /**
   * A session whose warden runs.
   *
   * @param byUnshare whether the warden's child is unshare, and init a child of that
   */
  NamespaceTree(
      String session,
      Process warden,
      Identity identity,
      @Nullable CgroupLeaf leaf,
      boolean byUnshare) {
    this.byUnshare = byUnshare;
    this.session = session;
    this.warden = warden;
    this.identity = identity;
    this.leaf = leaf;
  }

  @Override
  public List<ProcessEntry> members(ProcessTable table) {
    return findInit(table).map(first -> table.descendants(first.pid())).orElse(List.of());
  }

  /** The agent itself: the oldest process that init started. */
  @Override
  public Optional<ProcessEntry> agent(ProcessTable table) {
    return findInit(table).flatMap(first -> table.oldestChild(first.pid()));
  }

  /**
   * The kernel ends the whole namespace with its init. The warden is killed too, in case there is
   * no init yet.
   */
  @Override
  public void killAll(ProcessTable table) {
    // If the warden has ended, its pid may belong to any process.
    var below =
        knowsWarden(table) ? table.descendants((int) warden.pid()) : List.<ProcessEntry>of();
    if (leaf != null) {
      leaf.kill();
    }
    findInit(table).ifPresent(first -> Kernel.signal(first.pid(), Kernel.KILL));
    warden.destroyForcibly();
    below.forEach(one -> one.signal(Kernel.KILL));
    withCookie(ProcessTable.read()).forEach(one -> one.signal(Kernel.KILL));
  }

  /**
   * The kernel reaps an init only once its namespace is empty, so when init has exited, all have.
   */
  @Override
  public List<ProcessEntry> survivors(ProcessTable table) {
    ProcessEntry first = init;
    Stream<ProcessEntry> inside =
        first == null
            ? inSessionOfWarden(table)
            : table.find(first.pid()).filter(e -> e.same(first) && e.alive()).stream()
                .flatMap(e -> Stream.concat(Stream.of(e), table.descendants(e.pid()).stream()));
    Stream<ProcessEntry> grouped =
        leaf == null
            ? Stream.of()
            : leaf.pids().stream().flatMap(pid -> ProcessEntry.read(pid).stream());
    return Stream.of(inside, withCookie(table).stream(), grouped)
        .flatMap(found -> found)
        .filter(ProcessEntry::alive)
        .distinct()
        .toList();
  }

  /**
   * An init that no reading has shown, because the warden was killed before. While it exits it
   * waits for its namespace to be empty, and has no cookie to read any more; but it is still in the
   * kernel session that its warden began.
   */
  private Stream<ProcessEntry> inSessionOfWarden(ProcessTable table) {
    return StreamSupport.stream(table.all().spliterator(), false)
        .filter(entry -> entry.session() == warden.pid())
        .filter(entry -> entry.startTicks() >= identity.startTicks());
  }

  private List<ProcessEntry> withCookie(ProcessTable table) {
    return Cookie.carriers(table, session, identity.startTicks());
  }

  @Override
  public boolean conclusive() {
    return true;
  }

  @Override
  public int requiredScans() {
    return 1;
  }

  /**
   * The warden in C reaps init before it exits, and the kernel lets init be reaped last. An exit
   * code above may also be that of a signal, which ended the warden before.
   */
  @Override
  public boolean provedEmpty() {
    return !byUnshare
        && warden.exitValue() < NativeWarden.UNABLE
        && (leaf == null || leaf.pids().isEmpty());
  }

  @Override
  public boolean running() {
    return warden.isAlive();
  }

  @Override
  public void release() {
    if (leaf != null) {
      leaf.remove();
    }
  }

  private Optional<ProcessEntry> findInit(ProcessTable table) {
    ProcessEntry known = init;
    if (known == null && warden.isAlive() && knowsWarden(table)) {
      Stream<ProcessEntry> children = table.children((int) warden.pid()).stream();
      // A shell's other child sleeps and has no children: the only grandchild is init.
      known =
          (byUnshare ? children.flatMap(child -> table.children(child.pid()).stream()) : children)
              .findFirst()
              .orElse(null);
      init = known;
    }
    ProcessEntry found = known;
    return found == null
        ? Optional.empty()
        : table.find(found.pid()).filter(e -> e.same(found) && e.alive());
  }

  /** A shared reading may be older than the warden, and show another process under its pid. */
  private boolean knowsWarden(ProcessTable table) {
    return table
        .find((int) warden.pid())
        .filter(entry -> entry.startTicks() == identity.startTicks())
        .isPresent();
  }
}
