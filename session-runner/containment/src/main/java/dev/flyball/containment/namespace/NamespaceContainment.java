package dev.flyball.containment.namespace;

import dev.flyball.containment.BootClock;
import dev.flyball.containment.CannotStart;
import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.containment.Containment;
import dev.flyball.containment.ContainmentSettings;
import dev.flyball.containment.Launch;
import dev.flyball.containment.cgroup.CgroupLeaf;
import dev.flyball.containment.cgroup.Cgroups;
import dev.flyball.containment.kill.Reaper;
import dev.flyball.containment.session.ContainedSession;
import dev.flyball.containment.session.Deadline;
import dev.flyball.containment.session.SessionFiles;
import dev.flyball.containment.session.Spawner;
import dev.flyball.containment.session.Tools;
import dev.flyball.containment.warden.NativeWarden;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Levels A and A+: a PID namespace for each session, at A+ inside a control group. Outside the
 * namespace runs a warden, which holds the deadman's deadline. The kernel ends the warden with this
 * JVM, the namespace with the warden, and every process with the namespace.
 *
 * <p>At level A shells and programs of util-linux can stand in for the warden in C.
 */
public final class NamespaceContainment implements Containment {
  private static final String WARDEN = Tools.script(NamespaceContainment.class, "warden.sh");
  private static final String INIT = Tools.script(NamespaceContainment.class, "init.sh");

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
    launch.check();
    long end = BootClock.centisOf(until);
    var files = new SessionFiles(settings.folder(), launch.session());
    var deadline = Deadline.in(files, end);
    CgroupLeaf leaf = null;
    try {
      leaf = cgroups == null ? null : cgroups.leaf(launch.session());
      Process process = Spawner.start(outermost(launch, files, deadline, end, leaf)::start);
      hide(deadline, process);
      Identity identity = Identity.of(process.pid());
      var tree = new NamespaceTree(launch.session(), process, identity, leaf, warden == null);
      return new ContainedSession(process, identity, deadline, tree, files);
    } catch (IOException | RuntimeException | Error e) {
      deadline.pass();
      if (leaf != null) {
        leaf.remove();
      }
      deadline.close();
      files.remove();
      throw e;
    }
  }

  @Override
  public int cleared(String session, Duration limit) {
    return Reaper.reapStart(session, limit).survivors();
  }

  private static void hide(Deadline deadline, Process warden) {
    try {
      deadline.hide();
    } catch (UncheckedIOException e) {
      // The kernel ends the whole tree with its warden, but the caller has to verify that it has.
      warden.destroyForcibly();
      throw e;
    }
  }

  private ProcessBuilder outermost(
      Launch launch, SessionFiles files, Deadline deadline, long end, @Nullable CgroupLeaf leaf)
      throws IOException {
    if (warden != null) {
      List<Path> groups = leaf == null ? List.of() : leaf.all();
      return warden.inNamespace(launch, files, deadline, variant.letters(), groups);
    }
    files.writePrompt(launch.prompt());
    var start =
        new ProcessBuilder(shells(launch, files.prompt().toAbsolutePath(), end))
            .directory(launch.directory().toFile())
            .redirectInput(deadline.file().toFile());
    start.environment().clear();
    start.environment().putAll(launch.wholeEnvironment());
    return start;
  }

  private List<String> shells(Launch launch, Path prompt, long end) throws CannotStart {
    String setpriv = Tools.need("setpriv");
    String sh = Tools.need("sh");
    String tick = BigDecimal.valueOf(settings.tick().toMillis(), 3).toPlainString();
    var command = new ArrayList<String>();
    // As the warden in C does by itself: Ctrl-C and Ctrl-Z on the runner's terminal are not for it.
    command.add(Tools.need("setsid"));
    command.addAll(List.of(setpriv, "--pdeathsig", "KILL", sh, "-c", WARDEN, "flyball-warden"));
    command.addAll(List.of(prompt.toString(), tick, Tools.need("sleep")));
    command.addAll(List.of(setpriv, "--pdeathsig", "KILL", Tools.need("unshare")));
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
}
