package dev.flyball.program.cli;

import static dev.flyball.program.cli.CommandLineFixture.flyball;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.producer.ProducerApp;
import dev.flyball.producer.history.PollHistory;
import dev.flyball.producer.history.PollHistory.PollRun;
import dev.flyball.program.cli.CommandLineFixture.Answer;
import java.nio.file.Path;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("S0-10: the history of polls has a reader")
final class PollsCommandTest {
  private static final Instant AT = Instant.parse("2026-11-22T10:00:00Z");

  @TempDir Path data;

  @Test
  void pollsAreToldNewestFirstWithAllThatIsKept() {
    history(run("acme/web", "p1", "finished", null), run("acme/ado", "p2", "failed", "503; wait"));

    Answer all = flyball("polls", "--data", data.toString());

    assertThat(all.code()).isZero();
    assertThat(all.out().lines())
        .containsExactly(
            "started\ttook\tsource\toutcome\tlines\titems\tchanged\tduplicates\tinvalid\treason"
                + "\tpoll",
            "2026-11-22T10:00:00Z\t1250ms\tacme/ado\tfailed\t9\t8\t7\t6\t5\t503; wait\tp2",
            "2026-11-22T10:00:00Z\t1250ms\tacme/web\tfinished\t9\t8\t7\t6\t5\t\tp1");
    assertThat(flyball("polls", "acme/web", "--data", data.toString()).out().lines())
        .hasSize(2)
        .last()
        .asString()
        .endsWith("p1");
    assertThat(flyball("polls", "web", "--data", data.toString()).out())
        .as("a bare name")
        .hasLineCount(2)
        .contains("acme/web");
    assertThat(flyball("polls", "--limit", "1", "--data", data.toString()).out()).hasLineCount(2);
  }

  @Test
  void aSourceThatWasNeverPolledIsSaidRatherThanShownAsAnEmptyTable() {
    history(run("acme/web", "p1", "finished", null));

    Answer answer = flyball("polls", "none", "--data", data.toString());

    assertThat(answer.code()).isEqualTo(1);
    assertThat(answer.out()).isEmpty();
    assertThat(answer.err())
        .isEqualTo(
            "flyball: no poll of 'none' in "
                + data.resolve("producer")
                + "; list all sources with ./flyball polls\n");
    assertThat(flyball("polls", "--limit", "0", "--data", data.toString()))
        .satisfies(it -> assertThat(it.code()).isEqualTo(2))
        .satisfies(it -> assertThat(it.err()).contains("--limit 0: give 1 or more"));
  }

  @Test
  void aFolderWithoutPollsIsReported() {
    Answer none = flyball("polls", "--data", data.toString());

    assertThat(none.code()).isEqualTo(1);
    assertThat(none.err()).contains(data.toString(), "--data").hasLineCount(1);
    assertThat(data).isEmptyDirectory();
  }

  private void history(PollRun... runs) {
    try (var history = PollHistory.open(data.resolve("producer").resolve(ProducerApp.HISTORY))) {
      for (PollRun run : runs) {
        history.add(run);
      }
    }
  }

  private static PollRun run(String source, String poll, String outcome, @Nullable String reason) {
    return new PollRun(source, poll, AT, AT.plusMillis(1_250), outcome, reason, 9, 8, 7, 6, 5);
  }
}
