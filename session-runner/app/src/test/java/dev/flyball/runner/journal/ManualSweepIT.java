package dev.flyball.runner.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.runner.journal.ManualSweep.Outcome;
import dev.flyball.runner.journal.ManualSweep.Remains;
import dev.flyball.testkit.ProcSampler;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A sweep by hand ends the same as a runner's, and leaves its leases to the next runner (S4-14).
 */
@Timeout(120)
class ManualSweepIT {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir Path folder;
  private final List<Process> started = new ArrayList<>();
  private final String dead = UUID.randomUUID().toString();
  private final String closed = UUID.randomUUID().toString();
  private final String live = UUID.randomUUID().toString();

  @AfterEach
  void end() {
    started.forEach(Process::destroyForcibly);
  }

  @Test
  void aManualSweepEndsAndReportsTreesOfDeadRunnersAndKeepsTheJournal() throws Exception {
    Identity own = Identity.own();
    var gone = new Identity(own.pid(), own.startTicks() - 1, own.bootId(), own.pidNamespace());
    var elsewhere = new Identity(own.pid(), own.startTicks(), own.bootId(), "another namespace");
    try (Journal journal = Journal.open(folder)) {
      journal.opened(JournalTest.row(dead, gone, Optional.empty()));
      journal.opened(JournalTest.row(closed, gone, Optional.empty()));
      journal.closed(closed, 1);
      journal.opened(JournalTest.row(live, own, Optional.empty()));
      journal.opened(JournalTest.row("elsewhere", elsewhere, Optional.empty()));
      journal.opened(JournalTest.row("nothing", gone, Optional.empty()));
    }
    Process ours = process(dead);
    Process stray = process(closed);
    Process owned = process(live);
    Process foreign = process("of-nobody-we-know");
    await()
        .atMost(PATIENCE)
        .until(() ->
            List.of(dead, closed, live).stream()
                .allMatch(session -> ProcSampler.withCookie(session).size() == 1));

    List<Remains> remains = ManualSweep.run(folder);

    assertThat(remains)
        .extracting(Remains::session, Remains::outcome, Remains::found, Remains::left)
        .containsExactlyInAnyOrder(
            tuple(dead, Outcome.ENDED, 1, 0),
            tuple("nothing", Outcome.NOTHING, 0, 0),
            tuple(live, Outcome.OWNER_LIVES, 0, 0),
            tuple("elsewhere", Outcome.ELSEWHERE, 0, 0),
            tuple(closed, Outcome.ENDED, 1, 0));
    await().atMost(PATIENCE).until(() -> !ours.isAlive() && !stray.isAlive());
    assertThat(owned.isAlive()).isTrue();
    assertThat(foreign.isAlive()).isTrue();
    try (Journal journal = Journal.open(folder)) {
      assertThat(journal.open())
          .extracting(JournalRow::session)
          .containsExactlyInAnyOrder(dead, live, "elsewhere", "nothing");
    }
  }

  private Process process(String cookie) throws Exception {
    var builder = new ProcessBuilder("sleep", "600");
    builder.environment().put("FLYBALL_SESSION", cookie);
    Process process = builder.start();
    started.add(process);
    return process;
  }
}
