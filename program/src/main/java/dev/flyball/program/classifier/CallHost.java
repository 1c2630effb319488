package dev.flyball.program.classifier;

import dev.flyball.containment.ContainedProcess;
import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.containment.ContainedProcess.KillLadder;
import dev.flyball.containment.Containment;
import dev.flyball.containment.ContainmentSettings;
import dev.flyball.containment.Launch;
import dev.flyball.containment.kernel.Kernel;
import dev.flyball.containment.probe.ContainmentProbe;
import dev.flyball.contract.session.TokenCount;
import dev.flyball.runner.RunnerConfig.Confinement;
import dev.flyball.runner.agent.Agent;
import dev.flyball.runner.agent.AgentAnswer;
import dev.flyball.runner.agent.AgentSignal.Usage;
import dev.flyball.runner.events.OutputChunks;
import dev.flyball.runner.events.Redactor;
import dev.flyball.runner.execution.LiveSession;
import dev.flyball.runner.journal.Journal;
import dev.flyball.runner.journal.Sweep;
import dev.flyball.runner.session.EndCause;
import dev.flyball.runner.session.SessionLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the processes of triage calls need of the machine: a containment, and a journal from which
 * the next start finds what a killed one left. Its folder is not the runner's, so a call is never
 * taken for a session. One thread.
 */
public record CallHost(Journal journal, Containment containment) implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(CallHost.class);
  private static final InstantSource CLOCK = InstantSource.system();

  /** The item of a call's row: it belongs to a whole batch. */
  private static final String NO_ITEM = "-";

  private static final KillLadder NOW = KillLadder.now(Duration.ofSeconds(5));

  /** How much later than the limit the deadman ends a tree: the kill ladder comes first. */
  private static final Duration LADDER = Duration.ofSeconds(5);

  /** A call's tree is bounded by its containment, so its size is not watched. */
  private static final Duration UNCOUNTED = Duration.ofDays(1);

  /**
   * Ends what an earlier process of this folder, which the caller has locked, left of its calls,
   * and finds the strongest containment that works here. Its processes reach the network, because a
   * model is asked over it.
   *
   * @throws IOException if the folder cannot be used or no containment works; one line with the fix
   */
  static CallHost open(Path path, Confinement confinement, long memoryBytes) throws IOException {
    Journal journal = null;
    try {
      journal = Journal.open(path);
      for (Sweep.Remains each : new Sweep(journal, CLOCK).run()) {
        log.info(
            "triage call of an earlier process ended: call={} processes={} survivors={}",
            each.row().session(),
            each.found(),
            each.left());
        removeWorkplace(each);
      }
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
      return new CallHost(journal, containment);
    } catch (IOException | RuntimeException e) {
      if (journal != null) {
        journal.close();
      }
      throw e;
    }
  }

  /**
   * What a call came to.
   *
   * @param reported whether the program reported a result, an error too
   * @param used tokens and micro-dollars, as far as the program reported them
   * @param booked the same with what a program may have spent unseen
   */
  record Ended(EndCause cause, AgentAnswer answer, boolean reported, Usage used, Usage booked) {}

  /**
   * Runs a program until nothing of it lives, read and ended as a session's is. A deadman outside
   * this JVM ends the tree too, so it outlives neither its limit nor Flyball.
   *
   * @param reserve what is booked of an unknown cost, in micro-dollars
   * @param stopped whether Flyball stops, which ends the call
   * @throws IOException if it was not started
   * @throws InterruptedException if this thread was interrupted; nothing of the program lives
   */
  Ended run(
      Launch launch,
      Agent agent,
      SessionLimits limits,
      long reserve,
      Redactor redactor,
      BooleanSupplier stopped)
      throws IOException, InterruptedException {
    String call = launch.session();
    // Before its process starts: else no sweep would search for it, nor for its folder, which the
    // row has where that of a session has its token.
    journal.opened(
        new Journal.Row(
            call,
            NO_ITEM,
            launch.directory().toString(),
            containment.level().label(),
            Identity.own(),
            Optional.empty(),
            CLOCK.millis()));
    ContainedProcess process = started(launch, limits.wallClock().plus(LADDER));
    var chunks = new OutputChunks(call, redactor, _ -> true, CLOCK);
    var live = new LiveSession(process, agent, TokenCount.NONE, limits, UNCOUNTED, chunks);
    try {
      journal.started(call, process.identity());
      live.begin();
      EndCause cause = watched(live, stopped);
      boolean gently = cause instanceof EndCause.TimedOut;
      var _ = live.kill(gently ? agent.ladder(limits.grace(), NOW.verify()) : NOW);
      Exit exit = live.exit();
      AgentAnswer answer = live.answer(cause, exit);
      Usage used = live.vitals().usage();
      boolean bySelf = cause instanceof EndCause.Exited && !exit.signalled();
      return new Ended(
          cause,
          answer,
          live.turnEnded(),
          used,
          agent.booked(used, reserve, live.reported(), bySelf));
    } finally {
      cleared(call, process.kill(NOW).survivors());
      // Else an interrupted call keeps two threads while a process outside it holds its pipes open.
      live.join();
    }
  }

  private static EndCause watched(LiveSession live, BooleanSupplier stopped)
      throws InterruptedException {
    EndCause cause = live.cause();
    while (cause == null) {
      if (stopped.getAsBoolean()) {
        live.stop(new EndCause.Interrupted("stopped with Flyball"));
      }
      var _ = live.next();
      cause = live.cause();
    }
    return cause;
  }

  private ContainedProcess started(Launch launch, Duration life) throws IOException {
    try {
      return containment.start(launch, life);
    } catch (IOException e) {
      journal.forget(launch.session());
      throw e;
    } catch (RuntimeException | Error e) {
      cleared(launch.session(), containment.cleared(launch.session(), NOW.verify()));
      throw e;
    }
  }

  private void cleared(String call, int survivors) {
    if (survivors > 0) {
      log.error(
          "processes of a triage call cannot be ended: call={} survivors={}", call, survivors);
      return;
    }
    try {
      journal.forget(call);
    } catch (IOException e) {
      // The row stays; the next start finds nothing alive for it and removes it.
      log.warn("row of a triage call not removed: call={} cause={}", call, e.getMessage());
    }
  }

  @Override
  public void close() {
    try {
      journal.close();
    } catch (IOException e) {
      log.warn("journal of triage calls not closed: cause={}", e.getMessage());
    }
  }

  /** Deletes the folder in which a call worked that an earlier process left. */
  static void removeWorkplace(Sweep.Remains remains) {
    Path workplace = Path.of(remains.row().token());
    if (!remains.skipped() && workplace.isAbsolute() && Files.exists(workplace)) {
      remove(workplace);
    }
  }

  /** Deletes a folder of a call, or another temporary one, with what is in it. */
  public static void remove(Path workplace) {
    try (Stream<Path> all = Files.walk(workplace)) {
      List<Path> inside = all.sorted(Comparator.reverseOrder()).toList();
      for (Path each : inside) {
        Files.deleteIfExists(each);
      }
    } catch (IOException | RuntimeException e) {
      log.warn("temporary folder not deleted: folder={} cause={}", workplace, e.toString());
    }
  }
}
