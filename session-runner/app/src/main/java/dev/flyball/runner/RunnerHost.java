package dev.flyball.runner;

import dev.flyball.containment.AgentNetwork;
import dev.flyball.containment.Containment;
import dev.flyball.containment.ContainmentProbe;
import dev.flyball.containment.ContainmentSettings;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.runner.execution.SessionJournal;
import dev.flyball.runner.journal.Journal;
import dev.flyball.runner.journal.RunnerFolder;
import dev.flyball.runner.journal.Sweep;
import dev.flyball.runner.journal.SweepReport;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The parts of the machine that a runner holds: its data folder, its journal and a containment. */
final class RunnerHost implements ProcessMonitor.Sweeps, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RunnerHost.class);

  private final RunnerFolder folder;
  private final Journal journal;
  private final Containment containment;
  private final Sweep sweep;
  private final InstantSource clock;

  private RunnerHost(
      RunnerFolder folder, Journal journal, Containment containment, InstantSource clock) {
    this.folder = folder;
    this.journal = journal;
    this.containment = containment;
    this.sweep = new Sweep(journal, clock);
    this.clock = clock;
  }

  /**
   * Takes the folder and finds the strongest containment that works here.
   *
   * @throws StartFailure if another process holds the folder, it cannot be written, or no
   *     containment of the minimum works
   */
  static RunnerHost open(RunnerConfig config, InstantSource clock) {
    RunnerFolder folder = null;
    Journal journal = null;
    try {
      folder = RunnerFolder.hold(config.dataDir(), "runner");
      journal = Journal.open(config.dataDir());
      // A quarter above the runner's own limit, which is checked once a second and reports a
      // reason.
      long memory = config.session().memoryBytes() / 4 * 5;
      var settings =
          ContainmentSettings.in(config.dataDir())
              .withTick(deadmanTick(config))
              .withMemory(memory)
              .withNetwork(config.agents().confinement().network());
      ContainmentProbe.Found found =
          ContainmentProbe.strongest(
              settings,
              config.agents().confinement().minimum(),
              config.agents().confinement().maximum(),
              config.agents().confinement().user());
      found.refused().forEach(line -> log.info("containment refused: {}", line));
      log.info("containment level {}", found.containment().level().label());
      found.containment().missing().forEach(line -> log.info("containment: {}", line));
      if (settings.network() != AgentNetwork.HOST && found.containment().networked()) {
        log.warn("agents reach this machine's network: no containment without it works here");
      }
      if (!ContainmentProbe.hideOwnSecrets()) {
        log.warn("agents of this user may read this process's environment: prctl was refused");
      }
      return new RunnerHost(folder, journal, found.containment(), clock);
    } catch (IOException e) {
      close(journal);
      close(folder);
      throw new StartFailure(String.valueOf(e.getMessage()), e);
    }
  }

  /** A twentieth of the margin: 0.5 s by default. The deadman has half of the margin for itself. */
  private static Duration deadmanTick(RunnerConfig config) {
    return Duration.ofMillis(
        Math.clamp(config.ledger().clocks().margin().toMillis() / 20, 20, 500));
  }

  /** The strongest containment that works here. */
  Containment containment() {
    return containment;
  }

  /** Returns the journal into which sessions write their rows. */
  SessionJournal journal(GateKeeper gate) {
    return new JournalEdge(journal, containment.level().label(), clock, gate);
  }

  @Override
  public SweepReport sweep() throws IOException {
    return sweep.run();
  }

  @Override
  public int strays(int endFrom) throws IOException {
    int strays = sweep.strays();
    sweep.forget();
    return strays >= endFrom ? sweep.endStrays() : strays;
  }

  @Override
  public void close() {
    close(journal);
    close(folder);
  }

  private static void close(@org.jspecify.annotations.Nullable AutoCloseable part) {
    if (part == null) {
      return;
    }
    try {
      part.close();
    } catch (Exception e) {
      log.warn("not closed: {}", e.toString());
    }
  }
}
