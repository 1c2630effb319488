package dev.flyball.program.cli;

import static dev.flyball.program.cli.CommandLineFixture.flyball;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.program.cli.CommandLineFixture.Answer;
import dev.flyball.program.roles.DataLock;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Terminal;
import dev.flyball.runner.journal.Journal;
import dev.flyball.runner.journal.Sweep;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SweepTest {
  @TempDir Path data;

  @ParameterizedTest
  @ValueSource(strings = {"runner", "triage/calls"})
  void whatADeadRunnerOrTriageLeftIsSaidWithWhatWasFound(String journals) throws IOException {
    Identity own = Identity.own();
    var gone = new Identity(own.pid(), own.startTicks() - 1, own.bootId(), own.pidNamespace());
    journal(data.resolve(journals), gone);

    Answer sweep = flyball("sweep", "--data", data.toString());

    assertThat(sweep)
        .isEqualTo(
            new Answer(
                0, "session\titem\toutcome\tfound\tleft\ns1\ta/b/1\tnothing found\t0\t0\n", ""));
  }

  @Test
  void whileTriageRunsTheRunnersPartIsNotSweptEither() throws IOException {
    journal(data.resolve("runner"), Identity.own());
    journal(data.resolve("triage/calls"), Identity.own());
    try (DataLock held = DataLock.take(data.resolve("triage"))) {
      assertThat(held).isNotNull();
      assertThat(flyball("sweep", "--data", data.toString()).out()).isEmpty();
    }
  }

  @Test
  void whileAFlyballOwnsTheFolderNothingIsDone() throws IOException {
    journal(data.resolve("runner"), Identity.own());
    try (DataLock held = DataLock.take(data.resolve("runner"))) {
      Answer sweep = flyball("sweep", "--data", data.toString());

      assertThat(held).isNotNull();
      assertThat(sweep.code()).isEqualTo(1);
      assertThat(sweep.out()).isEmpty();
      assertThat(sweep.err())
          .isEqualTo(
              "flyball: a running flyball uses "
                  + data
                  + " and sweeps it itself; nothing was done\n");
    }
  }

  @Test
  void whatCouldNotBeEndedIsDegradedAndSaid() {
    var out = new ByteArrayOutputStream();
    var paper = new PrintStream(out, true, StandardCharsets.UTF_8);
    var terminal = new Terminal(paper, paper, false, false, Map.of(), Optional.empty());
    var row = new Journal.Row("s1", "a/b/1", "t:1", "A", Identity.own(), Optional.empty(), 1);
    var left = new Sweep.Remains(row, Sweep.Outcome.LEFT, 3, 1, false);

    assertThat(SetupCommands.swept(new Options.TableOptions(terminal), List.of(left)))
        .isEqualTo(Exit.DEGRADED);
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("s1\ta/b/1\tleft\t3\t1\n", "flyball: 1 process could not be stopped: look for");
  }

  private static void journal(Path folder, Identity owner) throws IOException {
    try (Journal journal = Journal.open(Files.createDirectories(folder))) {
      journal.opened(new Journal.Row("s1", "a/b/1", "t:1", "A", owner, Optional.empty(), 1));
    }
  }
}
