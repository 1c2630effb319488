package dev.flyball.runner;

import dev.flyball.containment.AgentNetwork;
import dev.flyball.containment.Containment.Level;
import dev.flyball.contract.config.ConfigKey;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.runner.agent.AgentProfile;
import dev.flyball.runner.agent.AgentProgram;
import dev.flyball.runner.agent.Scout;
import dev.flyball.runner.gate.GateLimits;
import dev.flyball.runner.prompt.DeepPrompt;
import dev.flyball.runner.protocol.LeaseTimes;
import dev.flyball.runner.repository.Repositories;
import dev.flyball.runner.session.SessionLimits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The configuration of a runner.
 *
 * @param runnerId label in entries and events ({@code runner.id}); it grants no authority
 * @param dataDir where the journal is; the program that starts this runner locks it ({@code
 *     --data})
 * @param ledger what it shares with all runners
 * @param agents which agents run, and where
 * @param slots how many sessions of this runner live, and how they start and stop
 * @param session clocks and bounds of one session ({@code sessions.*})
 * @param gate when this runner declines further sessions ({@code gate.*})
 */
public record RunnerConfig(
    String runnerId,
    Path dataDir,
    Ledger ledger,
    Agents agents,
    Slots slots,
    SessionLimits session,
    GateLimits gate) {

  public RunnerConfig {
    if (!runnerId.matches("[A-Za-z0-9._-]{1,64}")) {
      throw new IllegalArgumentException(
          "runner.id '" + runnerId + "' must be 1 to 64 letters, digits, dots, _ or -");
    }
  }

  /** The documented defaults, for one repository and one data folder. */
  public static RunnerConfig defaults(String runnerId, Path repository, Path dataDir) {
    return new RunnerConfig(
        runnerId,
        dataDir,
        Ledger.DEFAULT,
        Agents.of(new Scout(), repository),
        Slots.DEFAULT,
        SessionLimits.DEFAULT,
        GateLimits.DEFAULT);
  }

  /**
   * What all runners of a ledger share.
   *
   * @param budgets daily limits by scope; seed the ledger once ({@code budget.*})
   * @param times the lease and what follows from it ({@code ledger.*})
   */
  public record Ledger(
      @ConfigKey(
              name = "cap",
              to = 10_000,
              meaning = "Most agent sessions at a time, over all runners. Seeds the ledger once")
          int cap,
      List<LedgerEntry.ScopedLimits> budgets,
      LeaseTimes times) {
    public static final Ledger DEFAULT = new Ledger(3, List.of(), LeaseTimes.DEFAULTS);

    public Ledger {
      budgets = List.copyOf(budgets);
    }

    /** The first entry of an empty ledger. */
    LedgerEntry.Init seed() {
      return new LedgerEntry.Init(cap, times.lease().toMillis(), budgets);
    }
  }

  /** The sessions of this runner. */
  public record Slots(
      @ConfigKey(
              name = "sessions.slots",
              from = 1,
              to = 256,
              meaning = "Most sessions of one runner at a time")
          int count,
      @ConfigKey(
              name = "sessions.drain",
              meaning =
                  "How long a shutdown waits for running sessions before it interrupts them;"
                      + " 0s, or a second signal: not at all")
          Duration drain) {
    public static final Slots DEFAULT = new Slots(4, Duration.ZERO);
  }

  /**
   * Which agents run, and where.
   *
   * @param profiles the agents that requests may ask for, the default one first ({@code
   *     sessions.agent}, {@code agents})
   * @param repositories what agents read, their working directory ({@code sessions.repo}, {@code
   *     sources[].repo})
   * @param prompt the template of prompts ({@code sessions.prompt})
   * @param confinement what holds sessions' processes, and as which user they run
   */
  public record Agents(
      List<AgentProfile> profiles,
      Repositories repositories,
      @ConfigKey(
              name = "sessions.env",
              matches = "[A-Za-z_][A-Za-z0-9_]*",
              allowed = "a list of variables' names, for example [A, B]",
              meaning = "Names of further environment variables that agents inherit")
          List<String> env,
      DeepPrompt prompt,
      Confinement confinement) {
    public Agents {
      profiles = List.copyOf(profiles);
      if (profiles.isEmpty() || !profiles.getFirst().name().equals(AgentProfile.DEFAULT)) {
        throw new IllegalArgumentException("the first profile must be " + AgentProfile.DEFAULT);
      }
      env = List.copyOf(env);
    }

    /** An agent that reads one repository, with the documented defaults. */
    public static Agents of(AgentProgram agent, Path repository) {
      return new Agents(
          List.of(AgentProfile.usual(agent)),
          Repositories.only(repository),
          List.of(),
          DeepPrompt.BUNDLED,
          Confinement.DEFAULT);
    }
  }

  /**
   * What holds sessions' processes, and as which user they run.
   *
   * @param user the user that agents run as ({@code sessions.user}), empty for the runner's user
   * @param network which network agents can reach ({@code sessions.network})
   */
  public record Confinement(
      @ConfigKey(
              name = "containment.minimum",
              meaning = "The weakest containment that a runner accepts")
          Level minimum,
      @ConfigKey(
              name = "containment.maximum",
              meaning =
                  "The strongest containment that a runner tries; B where agents need sudo"
                      + " or start containers, which a user namespace does not allow")
          Level maximum,
      Optional<String> user,
      AgentNetwork network) {
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
}
