package dev.flyball.containment.namespace;

import dev.flyball.containment.BootClock;
import dev.flyball.containment.CannotStart;
import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.containment.Containment;
import dev.flyball.containment.ContainmentSettings;
import dev.flyball.containment.Launch;
import dev.flyball.containment.kernel.Kernel;
import dev.flyball.containment.kernel.ProcessEntry;
import dev.flyball.containment.kernel.ProcessTable;
import dev.flyball.containment.kill.KillSequence;
import dev.flyball.containment.session.ContainedSession;
import dev.flyball.containment.session.ContainedSession.Members;
import dev.flyball.containment.session.Spawner;
import dev.flyball.containment.warden.NativeWarden;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Levels A and A+: a PID namespace for each session, at A+ inside a control group. Outside the
 * namespace runs a warden, which holds the deadman's deadline. The kernel ends the warden with this
 * JVM, the namespace with the warden, and every process with the namespace.
 *
 * <p>At level A shells and programs of util-linux can stand in for the warden in C.
 */
public final class NamespaceContainment implements Containment {
  private static final String WARDEN = script("warden.sh");
  private static final String INIT = script("init.sh");

  private final ContainmentSettings settings;
  private final Variant variant;
  private final @Nullable Cgroups cgroups;
  private final @Nullable NativeWarden warden;

  /**
   * How a namespace is made here.
   *
   * @param user inside a separate user namespace, which an ordinary user needs
   * @param proc with a separate /proc, so that the agent sees nothing of the machine; some clusters
   *     deny it
   * @param network with the machine's network; without it a separate empty one, in which not even a
   *     loopback address answers
   */
  public record Variant(boolean user, boolean proc, boolean network) {
    /** As the warden in C takes it. */
    String letters() {
      return (user ? "u" : "") + (proc ? "m" : "") + (network ? "" : "n");
    }
  }

  private NamespaceContainment(
      ContainmentSettings settings,
      Variant variant,
      @Nullable Cgroups cgroups,
      @Nullable NativeWarden warden) {
    this.settings = settings;
    this.variant = variant;
    this.cgroups = cgroups;
    this.warden = warden;
  }

  /** Level A, or A+ with control groups. */
  public static NamespaceContainment by(
      NativeWarden warden, Variant variant, @Nullable Cgroups cgroups) {
    return new NamespaceContainment(warden.settings(), variant, cgroups, warden);
  }

  /** Level A where there is no warden in C. */
  public static NamespaceContainment byShells(ContainmentSettings settings, Variant variant) {
    return new NamespaceContainment(settings, variant, null, null);
  }

  @Override
  public String toString() {
    return level().label()
        + (variant.user() ? " in a user namespace" : "")
        + (variant.proc() ? "" : " without its own /proc")
        + (variant.network() ? "" : " without a network")
        + (warden == null ? " by shells" : "");
  }

  @Override
  public Level level() {
    return cgroups == null ? Level.A : Level.A_PLUS;
  }

  @Override
  public boolean networked() {
    return variant.network();
  }

  @Override
  public List<String> missing() {
    return cgroups == null ? List.of() : cgroups.missing();
  }

  @Override
  public ContainedProcess startUntil(Launch launch, Duration until) throws IOException {
    Cgroups.Leaf leaf = cgroups == null ? null : cgroups.leaf(launch.session());
    Members members =
        (process, identity, files) ->
            new Tree(launch.session(), process, identity, leaf, warden == null);
    try {
      return warden == null
          ? byShells(launch, until, members)
          : warden.holdInNamespace(
              launch, until, members, variant.letters(), leaf == null ? List.of() : leaf.all());
    } catch (IOException | RuntimeException | Error e) {
      if (leaf != null) {
        leaf.remove();
      }
      throw e;
    }
  }

  private ContainedProcess byShells(Launch launch, Duration until, Members members)
      throws IOException {
    return ContainedSession.start(
        launch,
        until,
        settings.folder(),
        (start, files) -> {
          start.command(shells(launch, files.prompt(), BootClock.centisOf(until)));
          start.environment().putAll(launch.wholeEnvironment());
        },
        members);
  }

  private List<String> shells(Launch launch, Path prompt, long end) throws CannotStart {
    String setpriv = Spawner.program("setpriv");
    String sh = Spawner.program("sh");
    String tick = BigDecimal.valueOf(settings.tick().toMillis(), 3).toPlainString();
    var command = new ArrayList<String>();
    // As the warden in C does by itself: Ctrl-C and Ctrl-Z on the runner's terminal are not for it.
    command.add(Spawner.program("setsid"));
    command.addAll(List.of(setpriv, "--pdeathsig", "KILL", sh, "-c", WARDEN, "flyball-warden"));
    command.addAll(List.of(prompt.toString(), tick, Spawner.program("sleep")));
    command.addAll(List.of(setpriv, "--pdeathsig", "KILL", Spawner.program("unshare")));
    if (variant.user()) {
      command.addAll(List.of("--user", "--map-current-user"));
    }
    command.addAll(List.of("--pid", "--fork", "--kill-child"));
    if (variant.proc()) {
      command.add("--mount-proc");
    }
    if (!variant.network()) {
      command.add("--net");
    }
    command.addAll(List.of("--", sh, "-c", INIT, "flyball-init", Long.toString(end)));
    command.addAll(launch.command());
    return command;
  }

  /** A script without comments. It is passed to sh -c, so that no file on disk can be changed. */
  private static String script(String name) {
    try (InputStream in = NamespaceContainment.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException(name + " is missing from the jar");
      }
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII).replaceAll("(?m)^#.*\n", "");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The processes of a session at level A or A+. The warden's child is the namespace's init;
   * between them is unshare where a shell replaces it. All else descends from init.
   */
  private static final class Tree implements KillSequence.Tree {
    private final String session;
    private final Process warden;
    private final Identity identity;
    private final Cgroups.@Nullable Leaf leaf;
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
    Tree(
        String session,
        Process warden,
        Identity identity,
        Cgroups.@Nullable Leaf leaf,
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

    /** The kernel ends the namespace with its init; the warden goes too, if there is no init. */
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

    /** The kernel reaps an init once its namespace is empty: after it all have exited. */
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
     * waits for its namespace to be empty, and has no cookie to read any more; but it is still in
     * the kernel session that its warden began.
     */
    private Stream<ProcessEntry> inSessionOfWarden(ProcessTable table) {
      return table.all().stream()
          .filter(entry -> entry.session() == warden.pid())
          .filter(entry -> entry.startTicks() >= identity.startTicks());
    }

    private List<ProcessEntry> withCookie(ProcessTable table) {
      return table.carriers(session, identity.startTicks());
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
}
