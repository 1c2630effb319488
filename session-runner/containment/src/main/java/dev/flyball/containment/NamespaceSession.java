package dev.flyball.containment;

import dev.flyball.containment.ProcessTable.Entry;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A session at level A or A+. The warden's child is unshare, the child of unshare is the
 * namespace's init, and all else descends from init.
 */
final class NamespaceSession implements ContainedProcess, KillSequence.Tree {
  private final String session;
  private final Process warden;
  private final Identity identity;
  private final Deadline deadline;
  private final CompletableFuture<Exit> exit;
  private final KillSequence climb;
  private final @Nullable CgroupLeaf leaf;

  /**
   * The namespace's first process, once it was seen; any thread that counts or kills writes and
   * reads it.
   */
  private volatile @Nullable Entry init;

  NamespaceSession(
      String session, Process warden, Deadline deadline, Path prompt, @Nullable CgroupLeaf leaf) {
    this.session = session;
    this.leaf = leaf;
    this.warden = warden;
    this.deadline = deadline;
    this.identity = Identities.of((int) warden.pid());
    this.climb = new KillSequence(this);
    this.exit =
        warden
            .onExit()
            .thenApply(ended -> {
              forget(prompt);
              return Exit.of(ended.exitValue());
            });
  }

  @Override
  public Identity identity() {
    return identity;
  }

  @Override
  public InputStream out() {
    return warden.getInputStream();
  }

  @Override
  public InputStream err() {
    return warden.getErrorStream();
  }

  @Override
  public boolean extendTo(Duration end) {
    try {
      deadline.write(BootClock.centisOf(end));
      return warden.isAlive();
    } catch (IOException e) {
      return false;
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
    KillReport report = climb.climb(ladder);
    if (leaf != null && report.survivors() == 0) {
      leaf.remove();
    }
    return report;
  }

  @Override
  public List<Entry> members(ProcessTable table) {
    return findInit(table).map(first -> table.descendants(first.pid())).orElse(List.of());
  }

  /** The agent itself: the oldest process that init started. */
  @Override
  public List<Entry> main(ProcessTable table) {
    return findInit(table).stream()
        .flatMap(first -> table.children(first.pid()).stream())
        .filter(Entry::alive)
        .min(Comparator.comparingLong(Entry::startTicks).thenComparingInt(Entry::pid))
        .stream()
        .toList();
  }

  /**
   * The kernel ends the whole namespace with its init. The warden is killed too, in case there is
   * no init yet.
   */
  @Override
  public void killAll(ProcessTable table) {
    // If the warden has ended, its pid may belong to any process.
    var below = knowsWarden(table) ? table.descendants((int) warden.pid()) : List.<Entry>of();
    if (leaf != null) {
      leaf.kill();
    }
    findInit(table).ifPresent(first -> Kernel.signal(first.pid(), Kernel.KILL));
    warden.destroyForcibly();
    below.forEach(ProcessSignals::killIfSame);
    carriers(ProcessTable.read()).forEach(ProcessSignals::killIfSame);
  }

  /**
   * The kernel reaps an init only once its namespace is empty, so when init has exited, all have.
   */
  @Override
  public List<Entry> left(ProcessTable table) {
    Entry first = init;
    Stream<Entry> inside =
        first == null
            ? Stream.of()
            : table.find(first.pid()).filter(e -> e.same(first) && e.alive()).stream()
                .flatMap(e -> Stream.concat(Stream.of(e), table.descendants(e.pid()).stream()));
    Stream<Entry> grouped =
        leaf == null
            ? Stream.of()
            : leaf.pids().stream().flatMap(pid -> ProcessTable.entry(pid).stream());
    return Stream.of(inside, carriers(table).stream(), grouped)
        .flatMap(found -> found)
        .filter(Entry::alive)
        .distinct()
        .toList();
  }

  private List<Entry> carriers(ProcessTable table) {
    return Cookie.carriers(table, session, identity.startTicks());
  }

  @Override
  public boolean sure() {
    return true;
  }

  @Override
  public int cleanLooks() {
    return 1;
  }

  @Override
  public boolean running() {
    return warden.isAlive();
  }

  private Optional<Entry> findInit(ProcessTable table) {
    Entry known = init;
    if (known == null && warden.isAlive() && knowsWarden(table)) {
      // The warden's other child sleeps and has no children: the only grandchild is init.
      known =
          table.children((int) warden.pid()).stream()
              .flatMap(child -> table.children(child.pid()).stream())
              .findFirst()
              .orElse(null);
      init = known;
    }
    Entry found = known;
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

  private void forget(Path prompt) {
    PromptFile.forget(prompt);
    try {
      deadline.close();
    } catch (IOException e) {
      // The file's name is removed already; the file goes with the descriptor.
      prompt.toFile().deleteOnExit();
    }
  }
}
