package dev.flyball.program.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.ops.console.RunView;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.producer.PollReport;
import dev.flyball.program.run.RunResult.Row;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import dev.flyball.testkit.Sample;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a run says: its progress, its last line, its report and each of its items. */
final class RunResultTest {
  private static final Instant AT = Instant.parse("2026-02-10T08:00:00Z");

  private static final PollReport.Finished POLLED =
      new PollReport.Finished("default/items", "p", 1, 1, 1, List.of(), Map.of(), List.of(), false);

  @Test
  void theLastLineDoesNotNameWhatDidNotHappen() {
    assertThat(result(RunView.Status.NOTHING, Map.of(), 0).line())
        .isEqualTo("1 item: nothing changed; sessions: no session; triage calls: 0; 0.1 s");
    assertThat(Progress.line(RunView.Status.NOTHING, AT))
        .isNotBlank()
        .doesNotContainPattern("[0-9]");
  }

  @Test
  void theLinesSeparateWhatAnEarlierRunLeftFromWhatChanged() {
    var status =
        new RunView.Status(
            List.of(
                new RunView.Status.Item(
                    "default/items/1", "skipped", false, false, true, AT.plusSeconds(30)),
                new RunView.Status.Item("default/items/3", "queued", true, true, false, null)),
            false,
            RunView.Status.NOTHING.ledger());
    RunResult result =
        result(
            status,
            Map.of(EventType.SESSION_COMPLETED.type(), 1L, EventType.SESSION_LOST.type(), 2L),
            1);

    assertThat(result.line())
        .isEqualTo(
            "1 item: 1 queued; left over from an earlier run: 1 skipped; sessions: 1 completed, 2"
                + " lost, 1 of them begun by an earlier run; triage calls: 0; 0.1 s");
    assertThat(Progress.line(status, AT))
        .isEqualTo("1 of 2 settled: 1 queued, 1 skipped; next attempt at 2026-02-10T08:00:30Z");
    assertThat(RecordJson.write(result.report()))
        .isEqualTo(
            "{\"items\":1,\"lines\":1,\"invalid\":0,\"duplicates\":1,\"triageCalls\":0,\"sessions\":"
                + "{\"completed\":1,\"failed\":0,\"timedOut\":0,\"cancelled\":0,\"interrupted\":0,"
                + "\"lost\":2},\"maxConcurrent\":0,\"analyses\":0,\"durationMs\":100,\"changed\":0,"
                + "\"superseded\":0,\"settled\":{\"queued\":1,\"skipped\":1},\"continued\":1,"
                + "\"dead\":0,\"costMicros\":0}");
  }

  private static RunResult result(RunView.Status status, Map<String, Long> events, int inherited) {
    var figures = new RunView.Figures(events, 0, 0, inherited, 0);
    return new RunResult(POLLED, status, figures, 0, 100, List.of(), List.of());
  }

  @Test
  void onlyTheScoutLooksForFilesThatStandOut() {
    assertThat(row("scout", "ranking").reason()).isNotBlank().isNotEqualTo("ranking");
    assertThat(row("claude", "\n  The lease is too short.\nMore.").reason())
        .isEqualTo("The lease is too short.");
    assertThat(row("command:/bin/x", "").reason()).isEmpty();
  }

  @Test
  void aScreenBeginsWithWhatWasFoundAndAPipeGetsEverything() {
    var rows = new ArrayList<Row>();
    for (int n = 0; n < 40; n++) {
      rows.add(new Row("a/b/" + n, "title", "skipped", "", "too few points"));
    }
    rows.add(new Row("a/b/found", "title", "analyzed", "Main.java:1", ""));

    assertThat(printed(rows, true)).hasLineCount(6).endsWith(" skipped --data d\n");
    assertThat(printed(rows, true).lines().skip(1).findFirst().orElseThrow()).contains("found");
    assertThat(printed(rows, false)).hasLineCount(42);
    assertThat(printed(rows.subList(28, 41), true)).as("a short list").hasLineCount(14);
  }

  private static String printed(List<Row> rows, boolean screen) {
    var bytes = new ByteArrayOutputStream();
    var out = new PrintStream(bytes, true, UTF_8);
    var terminal = new Terminal(out, out, screen, screen, Map.of(), Optional.empty());
    RunResult.table(terminal, rows, Table.Form.FULL, " --data d");
    return bytes.toString(UTF_8);
  }

  private static Row row(String agent, String text) {
    return Row.of(
        new ItemRow("default/items/1", "", "analyzed", null, "1", 2, null, AT, null, 0),
        Sample.answer(agent, null, text));
  }
}
