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
    Path program = settings.compiled() ? compiled(settings, unavailable) : null;
    String withoutC = "";
    for (Candidate candidate : candidates(settings.network(), program)) {
      if (candidate.level().weakerThan(minimum) || maximum.weakerThan(candidate.level())) {
        continue;
      }
      String problem;
      try {
        problem = ContainmentTrial.problem(candidate.create(settings.withTick(TICK), other), LIMIT);
        if (problem.isEmpty()) {
          if (!withoutC.isEmpty()) {
            unavailable.add(withoutC);
          }
          return new Found(candidate.create(settings, other), unavailable);
        }
      } catch (IOException | UncheckedIOException e) {
        problem = String.valueOf(e.getMessage());
      }
      String line = candidate.label() + ": " + problem;
      // What works by neither is reported once.
      withoutC = candidate.compiled() ? line : "";
      if (!candidate.compiled() && !unavailable.contains(line)) {
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
            + (settings.network() == AgentNetwork.NONE
                ? "set sessions.network to host, or allow level A (docs/containment.md)"
                : fix(minimum)));
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

  private static String fix(Level minimum) {
    return switch (minimum) {
      case A_PLUS, A ->
          "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1 on Debian), or set"
              + " containment.minimum to B";
      case B -> "allow what level B needs: a readable /proc, sh and prctl";
    };
  }

  /**
   * Hides this JVM's environment and descriptors from other processes of its user. Call it once,
   * before the first session. It prevents core dumps and attaching by the same user. Returns false
   * where the kernel denies it.
   */
  public static boolean hideOwnSecrets() {
    return Kernel.hideFromSameUser();
  }

  /** The warden in C, or null where it cannot be had; what is slower then is said once. */
  private static @Nullable Path compiled(ContainmentSettings settings, List<String> unavailable) {
    try {
      return NativeWarden.program(settings.folder());
    } catch (IOException e) {
      unavailable.add(
          "the warden in C ("
              + e.getMessage()
              + "): without it each session costs 4 ms more, at level B 60 ms and 40 MB more");
      return null;
    }
  }

  private record Candidate(Level level, boolean network, boolean compiled, Factory factory) {
    String label() {
      return level.label()
          + (network ? "" : " without a network")
          + (compiled ? " by the warden in C" : "");
    }

    Containment create(ContainmentSettings settings, @Nullable AgentUser user) throws IOException {
      Containment plain = factory.create(settings);
      return user == null ? plain : new OtherUser(plain, user);
    }
  }

  private interface Factory {
    Containment create(ContainmentSettings settings) throws IOException;
  }

  private static List<Candidate> candidates(AgentNetwork wanted, @Nullable Path program) {
    boolean root = "root".equals(System.getProperty("user.name"));
    var found = new ArrayList<Candidate>();
    // A level with its network comes before the next level without one, because the hold on the
    // processes matters most.
    List<Boolean> networks =
        switch (wanted) {
          case HOST -> List.of(true);
          case NONE_WHERE_POSSIBLE -> List.of(false, true);
          case NONE -> List.of(false);
        };
    for (Level level : List.of(Level.A_PLUS, Level.A)) {
      for (boolean network : networks) {
        for (boolean user : root ? new boolean[] {false, true} : new boolean[] {true}) {
          for (boolean proc : new boolean[] {true, false}) {
            var variant = new Variant(user, proc, network);
            boolean groups = level == Level.A_PLUS;
            if (program != null) {
              found.add(
                  new Candidate(
                      level,
                      network,
                      true,
                      it -> namespace(it, variant, groups, new NativeWarden(program, it))));
            }
            found.add(
                new Candidate(level, network, false, it -> namespace(it, variant, groups, null)));
          }
        }
      }
    }
    if (wanted != AgentNetwork.NONE) {
      if (program != null) {
        found.add(
            new Candidate(
                Level.B,
                true,
                true,
                it -> SupervisedContainment.compiled(new NativeWarden(program, it))));
      }
      found.add(new Candidate(Level.B, true, false, SupervisedContainment::byJvm));
    }
    return found;
  }

  private static Containment namespace(
      ContainmentSettings settings,
      Variant variant,
      boolean groups,
      @Nullable NativeWarden compiled)
      throws IOException {
    Cgroups cgroups = groups ? Cgroups.here(settings.folder(), settings.memoryBytes()) : null;
    return new NamespaceContainment(settings, variant, cgroups, compiled);
  }
}
