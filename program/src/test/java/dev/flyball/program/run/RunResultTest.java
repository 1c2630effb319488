package dev.flyball.program.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.ops.console.RunView;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.producer.PollReport;
import dev.flyball.producer.publish.NotPolled;
import dev.flyball.program.run.RunResult.Row;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import dev.flyball.testkit.Sample;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What a run says: the most that it may cost, its progress, its last line, its report and each of
 * its items; and when its one poll is tried again.
 */
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
  void theLineThatChangesIsCutToTheTerminal() {
    var err = new ByteArrayOutputStream();
    var printed = new PrintStream(err, true, UTF_8);
    var terminal =
        new Terminal(printed, printed, true, true, Map.of("COLUMNS", "24"), Optional.empty());

    new Progress(terminal).show(RunView.Status.NOTHING, AT, 7_000);

    assertThat(err.toString(UTF_8)).isEqualTo("\r\033[Kflyball: nothing has...");
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

    assertThat(printed(rows, true).lines().skip(1))
        .satisfiesExactly(
            found -> assertThat(found).contains("a/b/found"),
            many -> assertThat(many).startsWith("40 need").endsWith("/flyball items --data d"),
            why -> assertThat(why).isEqualTo("    37 other than 0 1 2"),
            why -> assertThat(why).isEqualTo("     3 too short"));
    assertThat(printed(rows.subList(0, 40), true)).as("nothing found").hasLineCount(3);
    assertThat(printed(rows, false)).hasLineCount(42);
    assertThat(printed(rows.subList(37, 41), true)).as("a short list").hasLineCount(5);
  }

  private static String printed(List<Row> rows, boolean screen) {
    var bytes = new ByteArrayOutputStream();
    var out = new PrintStream(bytes, true, UTF_8);
    var terminal = new Terminal(out, out, screen, screen, Map.of(), Optional.empty());
    RunResult.table(
        terminal,
        rows,
        Table.Form.FULL,
        " --data d",
        key -> key.matches("a/b/[0-2]") ? "too short" : "other than 0 1 2");
    return bytes.toString(UTF_8);
  }

  private static Row row(String agent, String text) {
    return Row.of(
        new ItemRow("default/items/1", "", "analyzed", null, "1", 2, null, AT, null, 0),
        Sample.answer(agent, null, text));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          40 | 500000 | 3 | 0       |          | claude: at most $60.00 with $0.50 a session (sessions.budget.usd), 3 attempts an item
          1  | 500000 | 1 | 1000000 |          | claude: at most $1.50 with $0.50 a session (sessions.budget.usd), 1 attempt an item and $1.00 for all triage calls (triage.budget.usd)
          40 | 0      | 0 | 1000000 |          | claude: at most $1.00 with $1.00 for all triage calls (triage.budget.usd)
          40 | 500000 | 3 | 0       | 25000000 | claude: at most $25.00 (budget.daily.usd) with $0.50 a session (sessions.budget.usd), 3 attempts an item
          40 | 0      | 3 | 0       |          | claude without a limit a session (sessions.budget.usd is 0): the highest cost is unknown; set sessions.budget.usd
          """)
  void theMostIsSaidWithWhatItIsMadeOf(
      long items, long session, int attempts, long triage, @Nullable Long daily, String line) {
    assertThat(
            new Estimate("claude", items, session, attempts, triage, Optional.ofNullable(daily))
                .line())
        .isEqualTo(items + (items == 1 ? " item, " : " items, ") + line);
  }

  private static final PollReport OPEN = skipped(NotPolled.passing("open"));

  private final List<String> told = new ArrayList<>();
  private int polls;

  @Test
  @DisplayName(
      "a file that cannot be read yet is read as soon as it can be, and the wait is reported once")
  void whatPassesIsWaitedFor() {
    assertThat(report(_ -> false, OPEN, OPEN, POLLED)).isEqualTo(POLLED);
    assertThat(told).containsExactly("open; trying again for up to 90 s");
    assertThat(FileRun.PATIENCE).as("what passes does so by then").isEqualTo(NotPolled.SOON);
  }

  @Test
  void whatIsReadOrFailedOrLastsIsNotTriedAgain() {
    var failed = new PollReport.Failed("default/items", "unreadable");
    for (PollReport last : List.of(POLLED, failed, skipped(NotPolled.lasting("given back")))) {
      assertThat(report(_ -> false, last)).isEqualTo(last);
    }
    assertThat(told).isEmpty();
  }

  @Test
  @DisplayName("Ctrl-C ends the wait with the pause in which it came")
  void anInterruptEndsTheWait() {
    assertThat(report(_ -> polls == 3, OPEN, OPEN, OPEN, POLLED)).isEqualTo(OPEN);
    assertThat(polls).isEqualTo(3);
  }

  @Test
  void whatStaysIsGivenUp() {
    assertThat(FileRun.firstPoll(() -> OPEN, _ -> false, told::add, Duration.ofMillis(50)))
        .isEqualTo(OPEN);
  }

  private PollReport report(Predicate<Duration> overWithin, PollReport... scripted) {
    polls = 0;
    return FileRun.firstPoll(() -> scripted[polls++], overWithin, told::add, FileRun.PATIENCE);
  }

  private static PollReport skipped(NotPolled why) {
    return new PollReport.Skipped("default/items", why);
  }
}
