package dev.flyball.program.classifier;

import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.containment.Containment;
import dev.flyball.containment.ContainmentSettings;
import dev.flyball.containment.kernel.Kernel;
import dev.flyball.containment.probe.ContainmentProbe;
import dev.flyball.runner.RunnerConfig.Confinement;
import dev.flyball.runner.journal.Journal;
import dev.flyball.runner.journal.JournalRow;
import dev.flyball.runner.journal.Sweep;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the processes of triage calls need of the machine: a containment, and a journal from which
 * the next start finds what a killed one left. Its folder is not the runner's, so a call is never
 * taken for a session. One thread.
 */
record CallHost(
    Journal journal, Containment containment, CallWorkplaces workplaces, InstantSource clock)
    implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(CallHost.class);

  /** The item of a call's row: it belongs to a whole batch. */
  private static final String NO_ITEM = "-";

  /**
   * Ends what an earlier process of this folder, which the caller has locked, left of its calls,
   * and finds the strongest containment that works here. Its processes reach the network, because a
   * model is asked over it.
   *
   * @throws IOException if the folder cannot be used or no containment works; one line with the fix
   */
  static CallHost open(Path path, Confinement confinement, long memoryBytes) throws IOException {
    InstantSource clock = InstantSource.system();
    Journal journal = null;
    try {
      journal = Journal.open(path);
      for (Sweep.Remains each : new Sweep(journal, clock).run()) {
        log.info(
            "triage call of an earlier process ended: call={} processes={} survivors={}",
            each.row().session(),
            each.found(),
            each.left());
      }
      var workplaces = new CallWorkplaces(path, confinement.user().isPresent());
      workplaces.removeLeft();
      Containment containment =
          ContainmentProbe.strongest(
                  ContainmentSettings.in(path).withMemory(memoryBytes),
                  confinement.minimum(),
                  confinement.maximum(),
                  confinement.user())
              .containment();
      if (!Kernel.hideFromSameUser()) {
        log.warn("agents of this user can read this process's environment: prctl was denied");
      }
      return new CallHost(journal, containment, workplaces, clock);
    } catch (IOException | RuntimeException e) {
      if (journal != null) {
        journal.close();
      }
      throw e;
    }
  }

  /** Writes the call's row before its process starts: else no sweep would search for it. */
  void opened(String call) throws IOException {
    journal.opened(
        new JournalRow(
            call,
            NO_ITEM,
            NO_ITEM,
            containment.level().label(),
            Identity.own(),
            Optional.empty(),
            clock.millis()));
  }

  @Override
  public void close() {
    try {
      journal.close();
    } catch (IOException e) {
      log.warn("journal of triage calls not closed: cause={}", e.getMessage());
    }
  }
}
