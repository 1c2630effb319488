package dev.flyball.containment;

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
 * namespace runs a warden, a shell that holds the deadman's deadline. The kernel ends the warden
 * with this JVM, the namespace with the warden, and every process with the namespace.
 */
final class NamespaceContainment implements Containment {
  private static final String WARDEN = Tools.script("warden.sh");
  private static final String INIT = Tools.script("init.sh");
  private static final String JOIN = Tools.script("join.sh");

  private final ContainmentSettings settings;
  private final Variant variant;
  private final @Nullable Cgroups cgroups;

  /**
   * How a namespace is made here.
   *
   * @param user inside a separate user namespace, which an ordinary user needs
   * @param proc with a separate /proc, so that the agent sees nothing of the machine; some clusters
   *     deny it
   * @param network with the machine's network; without it a separate empty one, in which not even a
   *     loopback address answers
   */
  record Variant(boolean user, boolean proc, boolean network) {}

  /** Level A, without control groups. */
  NamespaceContainment(ContainmentSettings settings, Variant variant) {
    this(settings, variant, null);
  }

  /** Level A+, with a control group for each session. */
  NamespaceContainment(ContainmentSettings settings, Variant variant, @Nullable Cgroups cgroups) {
    this.settings = settings;
    this.variant = variant;
    this.cgroups = cgroups;
  }

  @Override
  public String toString() {
    return level().label()
        + (variant.user() ? " in a user namespace" : "")
        + (variant.proc() ? "" : " without its own /proc")
        + (variant.network() ? "" : " without a network");
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
    LaunchCheck.check(launch);
    long end = BootClock.centisOf(until);
    Path folder = settings.folder();
    var deadline = Deadline.in(folder, launch.session(), end);
    CgroupLeaf leaf = null;
    try {
      Path prompt = PromptFile.write(folder, launch);
      leaf = cgroups == null ? null : cgroups.leaf(launch.session());
      var builder = new ProcessBuilder(command(launch, prompt, end, leaf));
      builder.environment().clear();
      builder.environment().putAll(AgentEnvironment.of(launch));
      builder.directory(launch.directory().toFile());
      builder.redirectInput(deadline.file().toFile());
      Process warden = Spawner.start(builder::start);
      hide(deadline, warden);
      return new NamespaceSession(launch.session(), warden, deadline, prompt, leaf);
    } catch (IOException | RuntimeException | Error e) {
      deadline.pass();
      if (leaf != null) {
        leaf.remove();
      }
      deadline.close();
      PromptFile.forget(folder.resolve(launch.session() + ".prompt"));
      throw e;
    }
  }

  private static void hide(Deadline deadline, Process warden) throws IOException {
    try {
      deadline.hide();
    } catch (IOException e) {
      // The kernel ends the whole tree with its warden, but the caller has to verify that it has.
      warden.destroyForcibly();
      throw new UncheckedIOException("a deadline's file cannot be removed", e);
    }
  }

  private List<String> command(Launch launch, Path prompt, long end, @Nullable CgroupLeaf leaf)
      throws CannotStart {
    String setpriv = Tools.need("setpriv");
    String sh = Tools.need("sh");
    String tick = BigDecimal.valueOf(settings.tick().toMillis(), 3).toPlainString();
    var command = new ArrayList<String>();
    // A separate kernel session, so that neither Ctrl-C nor Ctrl-Z on the runner's terminal reaches
    // the deadman.
    command.add(Tools.need("setsid"));
    command.addAll(List.of(setpriv, "--pdeathsig", "KILL", sh, "-c", WARDEN, "flyball-warden"));
    command.addAll(List.of(prompt.toString(), tick, Tools.need("sleep")));
    command.addAll(List.of(setpriv, "--pdeathsig", "KILL"));
    if (leaf != null) {
      // The warden stays outside the groups: the session's limits must not end the process that
      // ends the session.
      command.addAll(List.of(sh, "-c", JOIN, "flyball-join"));
      leaf.all().forEach(group -> command.add(group.toString()));
      command.add("--");
    }
    command.add(Tools.need("unshare"));
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
