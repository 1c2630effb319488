package dev.flyball.containment.probe;

import dev.flyball.containment.AgentNetwork;
import dev.flyball.containment.CannotStart;
import dev.flyball.containment.Containment;
import dev.flyball.containment.Containment.Level;
import dev.flyball.containment.ContainmentSettings;
import dev.flyball.containment.cgroup.Cgroups;
import dev.flyball.containment.kernel.Kernel;
import dev.flyball.containment.namespace.NamespaceContainment;
import dev.flyball.containment.namespace.NamespaceContainment.Variant;
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

  /**
   * As short as possible, because every start waits for the deadman to notice that a deadline has
   * passed.
   */
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
    for (Candidate candidate : candidates(settings.network(), warden)) {
      if (candidate.level().weakerThan(minimum) || maximum.weakerThan(candidate.level())) {
        continue;
      }
      String problem;
      try {
        problem = ContainmentTrial.problem(candidate.create(settings.withTick(TICK), other), LIMIT);
        if (problem.isEmpty()) {
          return new Found(candidate.create(settings, other), unavailable);
        }
      } catch (IOException | UncheckedIOException e) {
        problem = String.valueOf(e.getMessage());
      }
      String line = candidate.label() + ": " + problem;
      if (!unavailable.contains(line)) {
        unavailable.add(line);
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

  /**
   * Requires Linux. All levels use means of the Linux kernel; elsewhere not even its calls can be
   * looked up.
   */
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

  /**
   * Hides this JVM's environment and descriptors from other processes of its user. Call it once,
   * before the first session. It prevents core dumps and attaching by the same user. Returns false
   * where the kernel denies it.
   */
  public static boolean hideOwnSecrets() {
    return Kernel.hideFromSameUser();
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

  private record Candidate(Level level, boolean network, Factory factory) {
    String label() {
      return level.label() + (network ? "" : " without a network");
    }

    Containment create(ContainmentSettings settings, @Nullable AgentUser user) throws IOException {
      Containment plain = factory.create(settings);
      return user == null ? plain : new OtherUser(plain, user);
    }
  }

  private interface Factory {
    Containment create(ContainmentSettings settings) throws IOException;
  }

  /** What may work here, strongest first. */
  private static List<Candidate> candidates(AgentNetwork wanted, @Nullable Path warden) {
    List<Variant> namespaces = namespaces(wanted);
    var found = new ArrayList<Candidate>();
    if (warden == null) {
      for (Variant each : namespaces) {
        found.add(
            new Candidate(Level.A, each.network(), it -> NamespaceContainment.byShells(it, each)));
      }
      return found;
    }
    for (Variant each : namespaces) {
      found.add(
          new Candidate(
              Level.A_PLUS,
              each.network(),
              it ->
                  NamespaceContainment.by(
                      new NativeWarden(warden, it),
                      each,
                      Cgroups.here(it.folder(), it.memoryBytes()))));
    }
    for (Variant each : namespaces) {
      found.add(
          new Candidate(
              Level.A,
              each.network(),
              it -> NamespaceContainment.by(new NativeWarden(warden, it), each, null)));
    }
    if (wanted != AgentNetwork.NONE) {
      found.add(
          new Candidate(
              Level.B, true, it -> new SupervisedContainment(new NativeWarden(warden, it))));
    }
    return found;
  }

  /**
   * Ways to make a namespace, best first. A level with its network comes before the next level
   * without one, because the hold on the processes matters most. Some clusters allow root a
   * namespace only inside a user namespace, and none with its own /proc.
   */
  private static List<Variant> namespaces(AgentNetwork wanted) {
    List<Boolean> networks =
        switch (wanted) {
          case HOST -> List.of(true);
          case NONE_WHERE_POSSIBLE -> List.of(false, true);
          case NONE -> List.of(false);
        };
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
