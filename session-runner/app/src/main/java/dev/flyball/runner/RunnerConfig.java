package dev.flyball.runner;

import dev.flyball.containment.AgentNetwork;
import dev.flyball.containment.Containment.Level;
import dev.flyball.contract.ledger.LedgerEntry.ScopedLimits;
import dev.flyball.runner.agent.AgentName;
import dev.flyball.runner.gate.GateLimits;
import dev.flyball.runner.protocol.LeaseTimes;
import dev.flyball.runner.session.SessionLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The configuration of a runner.
 *
 * @param runnerId label in entries and events ({@code runner.id}); it grants no authority
 * @param cap most live sessions over all runners; seeds the ledger once ({@code cap})
 * @param budgets daily limits by scope; seed the ledger once ({@code budget.*})
 * @param clocks the lease, its renewal and its margin ({@code ledger.*})
 * @param agent which agent runs ({@code sessions.agent})
 * @param repositories what agents read, their working directory ({@code sessions.repo}, {@code
 *     sources[].repo})
 * @param dataDir where the journal is; the program that starts this runner locks it ({@code
 *     --data})
 * @param slots most live sessions of this runner ({@code sessions.slots})
 * @param stagger least distance between two starts while several slots are free ({@code
 *     sessions.stagger})
 * @param session clocks and bounds of one session ({@code sessions.*})
 * @param drain how long running sessions may go on at shutdown; zero interrupts them ({@code
 *     sessions.drain})
 * @param env names of further environment variables that agents inherit ({@code sessions.env})
 * @param gate when this runner declines further sessions ({@code gate.*})
 * @param confinement what holds sessions' processes, and as which user they run
 */
public record RunnerConfig(
    String runnerId,
    int cap,
    List<ScopedLimits> budgets,
    Clocks clocks,
    AgentName agent,
    Repositories repositories,
    Path dataDir,
    int slots,
    Duration stagger,
    SessionLimits session,
    Duration drain,
    List<String> env,
    GateLimits gate,
    Confinement confinement) {
  public static final int DEFAULT_CAP = 3;
  public static final int DEFAULT_SLOTS = 4;
  public static final Duration MOST_STAGGER = Duration.ofMinutes(1);
  public static final Duration DEFAULT_DRAIN = Duration.ZERO;

  public RunnerConfig {
    budgets = List.copyOf(budgets);
    env = List.copyOf(env);
    if (!runnerId.matches("[A-Za-z0-9._-]{1,64}")) {
      throw new IllegalArgumentException(
          "runner.id '" + runnerId + "' must be 1 to 64 letters, digits, dots, _ or -");
    }
    if (cap < 0) {
      throw new IllegalArgumentException("cap " + cap + " must not be negative");
    }
    if (slots < 1 || slots > 256) {
      throw new IllegalArgumentException("sessions.slots " + slots + " must be 1 to 256");
    }
    if (stagger.isNegative() || stagger.compareTo(MOST_STAGGER) > 0) {
      throw new IllegalArgumentException(
          "sessions.stagger " + stagger + " must be 0s to " + MOST_STAGGER);
    }
    if (drain.isNegative()) {
      throw new IllegalArgumentException("sessions.drain " + drain + " must not be negative");
    }
    for (String name : env) {
      if (!name.matches("[A-Za-z_][A-Za-z0-9_]*")) {
        throw new IllegalArgumentException("sessions.env '" + name + "' is no variable's name");
      }
    }
  }

  /** The documented defaults, for one repository and one data folder. */
  public static RunnerConfig defaults(String runnerId, Path repository, Path dataDir) {
    return new RunnerConfig(
        runnerId,
        DEFAULT_CAP,
        List.of(),
        Clocks.DEFAULT,
        new AgentName.Scout(),
        Repositories.only(repository),
        dataDir,
        DEFAULT_SLOTS,
        LeaseTimes.DEFAULTS.stagger(),
        SessionLimits.DEFAULT,
        DEFAULT_DRAIN,
        List.of(),
        GateLimits.DEFAULT,
        Confinement.DEFAULT);
  }

  /**
   * What holds sessions' processes, and as which user they run.
   *
   * @param minimum the weakest containment that is accepted ({@code containment.minimum})
   * @param maximum the strongest one that is tried ({@code containment.maximum})
   * @param user the user that agents run as ({@code sessions.user}), empty for the runner's user
   * @param network which network agents can reach ({@code sessions.network})
   */
  public record Confinement(
      Level minimum, Level maximum, Optional<String> user, AgentNetwork network) {
    /** The defaults, for scout: the strongest containment that works, without a network. */
    public static final Confinement DEFAULT =
        new Confinement(Level.B, Level.A_PLUS, Optional.empty(), AgentNetwork.NONE_WHERE_POSSIBLE);

    public Confinement {
      if (maximum.weakerThan(minimum)) {
        throw new IllegalArgumentException(
            "containment.maximum "
                + maximum.label()
                + " must not be weaker than containment.minimum "
                + minimum.label());
      }
    }
  }

  /**
   * The ledger's clocks.
   *
   * @param lease how long a claim or renewal holds
   * @param renew how often a holder renews
   * @param margin how long before the lease's end the holder fences itself
   */
  public record Clocks(Duration lease, Duration renew, Duration margin) {
    /** The defaults: sessions survive a broker outage of 25 s. */
    public static final Clocks DEFAULT =
        new Clocks(Duration.ofSeconds(45), Duration.ofSeconds(10), Duration.ofSeconds(10));

    public Clocks {
      if (renew.isZero() || renew.isNegative() || margin.isZero() || margin.isNegative()) {
        throw new IllegalArgumentException(
            "ledger.renew " + renew + " and ledger.margin " + margin + " must be above 0");
      }
      if (lease.minus(margin).compareTo(renew.multipliedBy(2)) < 0) {
        throw new IllegalArgumentException(
            "ledger.lease "
                + lease
                + " must be at least ledger.margin "
                + margin
                + " plus two of ledger.renew "
                + renew);
      }
    }

    /**
     * The latest that a claim may take effect after its send, and the ledger producer's delivery
     * timeout.
     */
    public Duration late() {
      return lease.dividedBy(9);
    }
  }

  /** The repository of every item whose source names none. */
  public Path repository() {
    return repositories.usual();
  }

  /**
   * Micro-dollars reserved from the budgets for a session of an agent that costs money: the most
   * that such a session may spend.
   */
  public long reserveMicros() {
    return session.budgetMicros();
  }

  /** This configuration with other clocks. */
  public RunnerConfig withClocks(Clocks other) {
    return new RunnerConfig(
        runnerId,
        cap,
        budgets,
        other,
        agent,
        repositories,
        dataDir,
        slots,
        stagger,
        session,
        drain,
        env,
        gate,
        confinement);
  }

  /** This configuration with another agent. */
  public RunnerConfig withAgent(AgentName other) {
    return new RunnerConfig(
        runnerId,
        cap,
        budgets,
        clocks,
        other,
        repositories,
        dataDir,
        slots,
        stagger,
        session,
        drain,
        env,
        gate,
        confinement);
  }

  /** This configuration with other repositories. */
  public RunnerConfig withRepositories(Repositories other) {
    return new RunnerConfig(
        runnerId,
        cap,
        budgets,
        clocks,
        agent,
        other,
        dataDir,
        slots,
        stagger,
        session,
        drain,
        env,
        gate,
        confinement);
  }

  /** This configuration with another cap and number of slots. */
  public RunnerConfig withCap(int otherCap, int otherSlots) {
    return new RunnerConfig(
        runnerId,
        otherCap,
        budgets,
        clocks,
        agent,
        repositories,
        dataDir,
        otherSlots,
        stagger,
        session,
        drain,
        env,
        gate,
        confinement);
  }

  /** This configuration with another distance between starts. */
  public RunnerConfig withStagger(Duration other) {
    return new RunnerConfig(
        runnerId,
        cap,
        budgets,
        clocks,
        agent,
        repositories,
        dataDir,
        slots,
        other,
        session,
        drain,
        env,
        gate,
        confinement);
  }

  /** This configuration with other limits of a session. */
  public RunnerConfig withSession(SessionLimits other) {
    return new RunnerConfig(
        runnerId,
        cap,
        budgets,
        clocks,
        agent,
        repositories,
        dataDir,
        slots,
        stagger,
        other,
        drain,
        env,
        gate,
        confinement);
  }

  /** This configuration with other limits of the gate. */
  public RunnerConfig withGate(GateLimits other) {
    return new RunnerConfig(
        runnerId,
        cap,
        budgets,
        clocks,
        agent,
        repositories,
        dataDir,
        slots,
        stagger,
        session,
        drain,
        env,
        other,
        confinement);
  }

  /** This configuration with another containment. */
  public RunnerConfig withConfinement(Confinement other) {
    return new RunnerConfig(
        runnerId,
        cap,
        budgets,
        clocks,
        agent,
        repositories,
        dataDir,
        slots,
        stagger,
        session,
        drain,
        env,
        gate,
        other);
  }
}
