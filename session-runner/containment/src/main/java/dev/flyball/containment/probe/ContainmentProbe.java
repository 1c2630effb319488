package dev.flyball.containment.probe;

import dev.flyball.containment.AgentNetwork;
import dev.flyball.containment.CannotStart;
import dev.flyball.containment.Containment;
import dev.flyball.containment.Containment.Level;
import dev.flyball.containment.ContainmentSettings;
import dev.flyball.containment.namespace.Cgroups;
import dev.flyball.containment.namespace.NamespaceContainment;
import dev.flyball.containment.namespace.NamespaceContainment.Variant;
import dev.flyball.containment.probe.OtherUser.AgentUser;
import dev.flyball.containment.session.SessionFiles;
import dev.flyball.containment.supervisor.SupervisedContainment;
import dev.flyball.containment.warden.NativeWarden;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds the strongest containment that works here by running each, strongest first. Kernel settings
 * do not prove it: AppArmor, seccomp and old tools deny what the settings allow.
 */
public final class ContainmentProbe {
  private static final Duration LIMIT = Duration.ofSeconds(3);
  private static final List<Level> STRONGEST_FIRST = List.of(Level.A_PLUS, Level.A, Level.B);

  /** Short, because every start waits for the deadman to notice a passed deadline. */
  private static final Duration TICK = Duration.ofMillis(20);

  private ContainmentProbe() {}

  /**
   * The result of the probe.
   *
   * @param containment the strongest that works
   * @param unavailable one line for each stronger one that does not work, for doctor and the log
   */
  public record Found(Containment containment, List<String> unavailable) {
    public Found {
      unavailable = List.copyOf(unavailable);
    }
  }

  /**
   * Finds the strongest containment that works here, at most as strong as {@code maximum}.
   *
   * @param maximum stronger ones are not tried ({@code containment.maximum})
   * @throws CannotStart if none does, or only weaker ones than {@code containment.minimum}
   */
  public static Found strongest(ContainmentSettings settings, Level minimum, Level maximum)
      throws IOException {
    return strongest(settings, minimum, maximum, Optional.empty());
  }

  /**
   * Finds the strongest containment in which agents can run as this user. A user namespace that
   * knows only one user cannot hold another.
   *
   * @param user name of a user of this machine, empty for the runner's own
   * @throws CannotStart if no containment works, there is no such user, or this process may not
   *     become that user; the message ends with the fix, after its last semicolon
   */
  public static Found strongest(
      ContainmentSettings settings, Level minimum, Level maximum, Optional<String> user)
      throws IOException {
    requireLinux(System.getProperty("os.name", "unknown"));
    SessionFiles.prepare(settings.folder());
    AgentUser other = user.isEmpty() ? null : AgentUser.named(user.get());
    var unavailable = new ArrayList<String>();
    Path warden = warden(settings, unavailable);
    for (Level level : STRONGEST_FIRST) {
      boolean wanted = !level.weakerThan(minimum) && !maximum.weakerThan(level);
      boolean possible = level == Level.A || warden != null;
      if (!wanted || !possible) {
        continue;
      }
      for (Variant variant : variants(level, settings.network())) {
        Candidate candidate = it -> as(other, containment(level, variant, it, warden));
        String problem = problem(candidate, settings.withTick(TICK));
        if (problem.isEmpty()) {
          return new Found(candidate.in(settings), unavailable);
        }
        String label = level.label() + (variant.network() ? "" : " without a network");
        if (!unavailable.contains(label + ": " + problem)) {
          unavailable.add(label + ": " + problem);
        }
      }
    }
    throw new CannotStart(
        "containment",
        "no containment of level "
            + minimum.label()
            + " or stronger works here "
            + (settings.network() == AgentNetwork.NONE ? "without a network " : "")
            + "("
            + String.join("; ", unavailable)
            + "); "
            + fix(minimum, settings.network(), warden != null));
  }

  /** All levels use means of the Linux kernel; elsewhere not even its calls are found. */
  static void requireLinux(String system) throws CannotStart {
    if (!system.equals("Linux")) {
      throw new CannotStart(
          "containment",
          "nothing can hold an agent's processes on "
              + system
              + "; run Flyball in a Linux container or a Linux virtual machine");
    }
  }

  private static String fix(Level minimum, AgentNetwork network, boolean warden) {
    if (network == AgentNetwork.NONE) {
      return "set sessions.network to host, or allow level A (docs/containment.md)";
    }
    if (!warden && minimum != Level.A) {
      return "install gcc and libc6-dev, or run the release or the image, which bring the warden";
    }
    return minimum == Level.B
        ? "allow what level B needs: a readable /proc and prctl"
        : "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1 on Debian), or set"
            + " containment.minimum to B";
  }

  /** The warden in C, or null where it cannot be had; what is missing then is reported once. */
  private static @Nullable Path warden(ContainmentSettings settings, List<String> unavailable) {
    try {
      if (settings.warden()) {
        return NativeWarden.program(settings.folder());
      }
      unavailable.add("A+ and B: no warden in C");
    } catch (IOException e) {
      unavailable.add("A+ and B: no warden in C: " + e.getMessage());
    }
    return null;
  }

  private interface Candidate {
    Containment in(ContainmentSettings settings) throws IOException;
  }

  private static String problem(Candidate candidate, ContainmentSettings settings) {
    try {
      return ContainmentTrial.problem(candidate.in(settings), LIMIT);
    } catch (IOException | UncheckedIOException e) {
      return String.valueOf(e.getMessage());
    }
  }

  private static Containment as(@Nullable AgentUser user, Containment plain) {
    return user == null ? plain : new OtherUser(plain, user);
  }

  private static Containment containment(
      Level level, Variant variant, ContainmentSettings settings, @Nullable Path program)
      throws IOException {
    if (program == null) {
      return NamespaceContainment.byShells(settings, variant);
    }
    var warden = new NativeWarden(program, settings);
    return switch (level) {
      case A_PLUS ->
          NamespaceContainment.by(
              warden, variant, Cgroups.here(settings.folder(), settings.memoryBytes()));
      case A -> NamespaceContainment.by(warden, variant, null);
      case B -> new SupervisedContainment(warden);
    };
  }

  /**
   * Ways to hold a session at a level, best first; level B has one, with the network. A level with
   * its network comes before the next level without one, because the hold on the processes matters
   * most. Some clusters allow root a namespace only inside a user namespace, and none with its own
   * /proc.
   */
  private static List<Variant> variants(Level level, AgentNetwork wanted) {
    List<Boolean> networks =
        switch (wanted) {
          case HOST -> List.of(true);
          case NONE_WHERE_POSSIBLE -> List.of(false, true);
          case NONE -> List.of(false);
        };
    if (level == Level.B) {
      return networks.contains(true) ? List.of(new Variant(false, false, true)) : List.of();
    }
    boolean root = "root".equals(System.getProperty("user.name"));
    List<Boolean> users = root ? List.of(false, true) : List.of(true);
    var found = new ArrayList<Variant>();
    for (boolean network : networks) {
      for (boolean user : users) {
        found.add(new Variant(user, true, network));
        found.add(new Variant(user, false, network));
      }
    }
    return found;
  }
}
