package dev.flyball.runner.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.testkit.ProcSampler;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The sweep with real processes: it ends what is ours and dead, and touches nothing else (S0-29,
 * T4).
 */
@Timeout(60)
class SweepIT {
  @TempDir Path folder;
  private final List<Process> started = new ArrayList<>();
  private final String session = UUID.randomUUID().toString();
  private Journal journal;
  private Sweep sweep;

  @BeforeEach
  void open() throws Exception {
    journal = Journal.open(folder);
    sweep = new Sweep(journal, InstantSource.system());
  }

  @AfterEach
  void end() throws Exception {
    started.forEach(Process::destroyForcibly);
    journal.close();
  }

  // S1-7
  @Test
  void aDeadRunnersProcessesEndWithTheirRow() throws Exception {
    Process left = process(session, "sh", "-c", "sleep 61 & setsid sleep 62 & sleep 63");
    journal.opened(JournalTest.row(session, deadRunner(), Optional.empty()));
    journal.started(session, identity(left));
    await().until(() -> ProcSampler.withCookie(session).size() == 4);

    Sweep.Report report = sweep.run();

    assertThat(ProcSampler.withCookie(session)).isEmpty();
    assertThat(report.reaped()).hasSize(1);
    assertThat(report.reaped().getFirst().processes()).isEqualTo(4);
    assertThat(report.reaped().getFirst().survivors()).isZero();
    assertThat(report.reaped().getFirst().releasable()).isTrue();
    assertThat(report.unkillable()).isZero();
    assertThat(journal.open()).isEmpty();
  }

  // S1-9
  @Test
  void aCrashBetweenRowAndStartIsFoundByTheCookie() throws Exception {
    process(session, "sleep", "61");
    journal.opened(JournalTest.row(session, deadRunner(), Optional.empty()));
    await().until(() -> ProcSampler.withCookie(session).size() == 1);

    assertThat(sweep.run().reaped().getFirst().processes()).isEqualTo(1);

    assertThat(ProcSampler.withCookie(session)).isEmpty();
  }

  @Test
  void aCopiedFolderWhoseOwnerLivesIsNotTouched() throws Exception {
    Process live = process(session, "sleep", "61");
    journal.opened(JournalTest.row(session, Identity.own(), Optional.empty()));
    journal.started(session, identity(live));

    Sweep.Report report = sweep.run();

    assertThat(report.skipped()).hasSize(1);
    assertThat(report.reaped()).isEmpty();
    assertThat(live.isAlive()).isTrue();
    assertThat(journal.open()).hasSize(1);
  }

  @Test
  void aReusedPidIsAForeigners() throws Exception {
    Process foreign = process("", "sleep", "61");
    Identity now = identity(foreign);
    var before = new Identity(now.pid(), now.startTicks() - 5, now.bootId(), now.pidNamespace());
    journal.opened(JournalTest.row(session, deadRunner(), Optional.empty()));
    journal.started(session, before);

    assertThat(sweep.run().reaped().getFirst().processes()).isZero();

    assertThat(foreign.isAlive()).isTrue();
    assertThat(journal.open()).isEmpty();
  }

  @Test
  void evenAFittingPidIsAForeignersWithoutTheCookie() throws Exception {
    Process foreign = process("another-session", "sleep", "61");
    journal.opened(JournalTest.row(session, deadRunner(), Optional.empty()));
    journal.started(session, identity(foreign));

    sweep.run();

    assertThat(foreign.isAlive()).isTrue();
  }

  @Test
  void anotherBootsSessionIsClosedAndNeverReleased() throws Exception {
    Identity own = Identity.own();
    var owner = new Identity(own.pid(), own.startTicks(), "another boot", own.pidNamespace());
    journal.opened(JournalTest.row(session, owner, Optional.empty()));

    Sweep.Report report = sweep.run();

    assertThat(report.reaped().getFirst().releasable()).isFalse();
    assertThat(journal.open()).isEmpty();
  }

  // A copied folder, seen from outside the container in which its owner lives.
  @Test
  void anotherPidNamespacesSessionIsNeverTouched() throws Exception {
    Process live = process(session, "sleep", "61");
    Identity own = Identity.own();
    var owner = new Identity(own.pid(), own.startTicks(), own.bootId(), "another namespace");
    journal.opened(JournalTest.row(session, owner, Optional.empty()));
    await().until(() -> ProcSampler.withCookie(session).size() == 1);

    assertThat(sweep.run().skipped()).hasSize(1);

    assertThat(sweep.strays()).isZero();
    assertThat(sweep.endStrays()).isZero();
    assertThat(live.isAlive()).isTrue();
  }

  // S4-13, S4-15
  @Test
  void straysOfClosedSessionsAreCountedAndEnded() throws Exception {
    journal.opened(JournalTest.row(session, deadRunner(), Optional.empty()));
    journal.closed(session, 1);
    Process stray = process(session, "sleep", "61");
    process("unknown-session", "sleep", "61");
    await().until(() -> sweep.strays() == 1);

    assertThat(sweep.endStrays()).isZero();

    await().until(() -> !stray.isAlive());
    assertThat(ProcSampler.withCookie("unknown-session")).hasSize(1);
  }

  private Process process(String cookie, String... command) throws Exception {
    var builder = new ProcessBuilder(command);
    if (!cookie.isEmpty()) {
      builder.environment().put("FLYBALL_SESSION", cookie);
    }
    Process process = builder.redirectErrorStream(true).start();
    started.add(process);
    return process;
  }

  private static Identity identity(Process process) throws Exception {
    String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
    long ticks = Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[19]);
    Identity own = Identity.own();
    return new Identity(process.pid(), ticks, own.bootId(), own.pidNamespace());
  }

  /** A process of this boot that is no more. */
  private static Identity deadRunner() throws Exception {
    Process gone = new ProcessBuilder("true").start();
    Identity own = Identity.own();
    var identity = new Identity(gone.pid(), own.startTicks() - 1, own.bootId(), own.pidNamespace());
    gone.waitFor();
    return identity;
  }
}
