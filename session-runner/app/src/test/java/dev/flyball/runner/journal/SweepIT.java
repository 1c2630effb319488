package dev.flyball.runner.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.runner.journal.Sweep.Outcome;
import dev.flyball.runner.journal.Sweep.Remains;
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
import org.junit.jupiter.api.DisplayName;
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

    swept(Outcome.ENDED, 4, true);

    assertThat(ProcSampler.withCookie(session)).isEmpty();
    assertThat(journal.open()).isEmpty();
  }

  // S1-9
  @Test
  void aCrashBetweenRowAndStartIsFoundByTheCookie() throws Exception {
    process(session, "sleep", "61");
    journal.opened(JournalTest.row(session, deadRunner(), Optional.empty()));
    await().until(() -> ProcSampler.withCookie(session).size() == 1);

    swept(Outcome.ENDED, 1, true);

    assertThat(ProcSampler.withCookie(session)).isEmpty();
  }

  @Test
  void aCopiedFolderWhoseOwnerLivesIsNotTouched() throws Exception {
    Process live = process(session, "sleep", "61");
    journal.opened(JournalTest.row(session, Identity.own(), Optional.empty()));
    journal.started(session, identity(live));

    swept(Outcome.OWNER_LIVES, 0, false);

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

    swept(Outcome.NOTHING, 0, true);

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

    swept(Outcome.NOTHING, 0, false);

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

    swept(Outcome.ELSEWHERE, 0, false);

    assertThat(sweep.strays(Integer.MAX_VALUE)).isZero();
    assertThat(sweep.strays(1)).isZero();
    assertThat(live.isAlive()).isTrue();
  }

  // S4-13, S4-15
  @Test
  void straysOfClosedSessionsAreCountedAndEnded() throws Exception {
    journal.opened(JournalTest.row(session, deadRunner(), Optional.empty()));
    // Rows of sessions that ended long ago and have no process are forgotten.
    journal.closed(session, System.currentTimeMillis());
    Process stray = process(session, "sleep", "61");
    process("unknown-session", "sleep", "61");
    await().until(() -> sweep.strays(Integer.MAX_VALUE) == 1);

    assertThat(sweep.strays(1)).isZero();

    await().until(() -> !stray.isAlive());
    assertThat(ProcSampler.withCookie("unknown-session")).hasSize(1);
  }

  @Test
  @DisplayName("a sweep by hand ends the same, and leaves its leases to the next runner (S4-14)")
  void aManualSweepEndsAndReportsTreesOfDeadRunnersAndKeepsTheJournal() throws Exception {
    Identity own = Identity.own();
    Identity gone = deadRunner();
    String dead = UUID.randomUUID().toString();
    String closed = UUID.randomUUID().toString();
    String live = UUID.randomUUID().toString();
    var elsewhere = new Identity(own.pid(), own.startTicks(), own.bootId(), "another namespace");
    journal.opened(JournalTest.row(dead, gone, Optional.empty()));
    journal.opened(JournalTest.row(closed, gone, Optional.empty()));
    journal.closed(closed, 1);
    journal.opened(JournalTest.row(live, own, Optional.empty()));
    journal.opened(JournalTest.row("elsewhere", elsewhere, Optional.empty()));
    journal.opened(JournalTest.row("nothing", gone, Optional.empty()));
    Process ours = process(dead, "sleep", "600");
    Process stray = process(closed, "sleep", "600");
    Process owned = process(live, "sleep", "600");
    Process foreign = process("of-nobody-we-know", "sleep", "600");
    await()
        .until(() ->
            List.of(dead, closed, live).stream()
                .allMatch(session -> ProcSampler.withCookie(session).size() == 1));

    List<Remains> remains = Sweep.byHand(folder);

    assertThat(remains)
        .extracting(each -> each.row().session(), Remains::outcome, Remains::found, Remains::left)
        .containsExactlyInAnyOrder(
            tuple(dead, Outcome.ENDED, 1, 0),
            tuple("nothing", Outcome.NOTHING, 0, 0),
            tuple(live, Outcome.OWNER_LIVES, 0, 0),
            tuple("elsewhere", Outcome.ELSEWHERE, 0, 0),
            tuple(closed, Outcome.ENDED, 1, 0));
    await().until(() -> !ours.isAlive() && !stray.isAlive());
    assertThat(owned.isAlive()).isTrue();
    assertThat(foreign.isAlive()).isTrue();
    assertThat(journal.open())
        .extracting(Journal.Row::session)
        .containsExactlyInAnyOrder(dead, live, "elsewhere", "nothing");
  }

  /** Sweeps, and requires this of the one row. */
  private void swept(Outcome outcome, int found, boolean releasable) throws Exception {
    assertThat(sweep.run())
        .extracting(Remains::outcome, Remains::found, Remains::left, Remains::releasable)
        .containsExactly(tuple(outcome, found, 0, releasable));
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
