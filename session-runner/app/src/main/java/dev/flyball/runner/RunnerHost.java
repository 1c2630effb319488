package dev.flyball.runner;

import dev.flyball.containment.AgentNetwork;
import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.containment.Containment;
import dev.flyball.containment.ContainmentSettings;
import dev.flyball.containment.kernel.Kernel;
import dev.flyball.containment.probe.ContainmentProbe;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.runner.execution.Session;
import dev.flyball.runner.execution.Sessions;
import dev.flyball.runner.gate.MachineReadings;
import dev.flyball.runner.journal.Journal;
import dev.flyball.runner.journal.Sweep;
import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a runner holds of the machine: its journal, and the strongest containment that works. */
record RunnerHost(Journal journal, Containment containment, InstantSource clock)
    implements ProcessMonitor.Sweeps, Sessions.Journal, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(RunnerHost.class);

  /**
   * Opens the journal and finds the strongest containment that works here.
   *
   * @throws StartFailure if the folder cannot be written, or no containment of the minimum works
   */
  static RunnerHost open(RunnerConfig config, InstantSource clock) {
    Journal journal = null;
    try {
      journal = Journal.open(config.dataDir());
      // A quarter above the runner's own limit, which is checked once a second and reports a
      // reason.
      long memory = config.session().memoryBytes() / 4 * 5;
      long needed = config.session().containerBytes(config.slots().count());
      if (needed > MachineReadings.containerMemoryBytes()) {
        log.warn(
            "sessions may use more memory than this container has, which ends all of them:"
                + " needed={} MB limit={} MB; lower sessions.slots or sessions.memory",
            needed >> 20,
            MachineReadings.containerMemoryBytes() >> 20);
      }
      var settings =
          ContainmentSettings.in(config.dataDir())
              .withTick(config.ledger().times().deadmanTick())
              .withMemory(memory)
              .withNetwork(config.agents().confinement().network());
      ContainmentProbe.Found found =
          ContainmentProbe.strongest(
              settings,
              config.agents().confinement().minimum(),
              config.agents().confinement().maximum(),
              config.agents().confinement().user());
      found
          .unavailable()
          .forEach(line -> log.info("containment level not usable: reason={}", line));
      log.info("containment chosen: level={}", found.containment().level().label());
      found
          .containment()
          .missing()
          .forEach(line -> log.info("containment lacks a part: reason={}", line));
      if (settings.network() != AgentNetwork.HOST && found.containment().networked()) {
        log.warn(
            "agents can reach this machine's network: no containment without a network works here");
      }
      if (!Kernel.hideFromSameUser()) {
        log.warn("agents of this user can read this process's environment: prctl was denied");
      }
      return new RunnerHost(journal, found.containment(), clock);
    } catch (IOException e) {
      close(journal);
      throw new StartFailure(String.valueOf(e.getMessage()), e);
    }
  }

  /** Writes the row of a session with this process as its owner. */
  @Override
  public void opened(Session session) throws IOException {
    journal.opened(
        new Journal.Row(
            session.id(),
            session.item().toString(),
            session.token().toString(),
            containment.level().label(),
            Identity.own(),
            Optional.empty(),
            clock.millis()));
  }

  @Override
  public void started(String session, Identity identity) throws IOException {
    journal.started(session, identity);
  }

  @Override
  public void closed(String session) throws IOException {
    journal.closed(session, clock.millis());
  }

  @Override
  public List<Sweep.Remains> sweep() throws IOException {
    return new Sweep(journal, clock).run();
  }

  @Override
  public int strays(int endFrom) throws IOException {
    return new Sweep(journal, clock).strays(endFrom);
  }

  @Override
  public void close() {
    close(journal);
  }

  private static void close(@Nullable Journal part) {
    if (part == null) {
      return;
    }
    try {
      part.close();
    } catch (IOException e) {
      log.warn("journal not closed: cause={}", e.toString());
    }
  }
}
