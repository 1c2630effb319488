package dev.flyball.program.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.session.Analysis;
import dev.flyball.ops.console.RunView;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What the report of a run says of each item. */
final class RunRowTest {
  private static final Instant AT = Instant.parse("2026-02-10T08:00:00Z");

  @Test
  void onlyTheScoutLooksForFilesThatStandOut() {
    assertThat(row("scout", "ranking").reason()).isNotBlank().isNotEqualTo("ranking");
    assertThat(row("claude", "\n  The lease is too short.\nMore.").reason())
        .isEqualTo("The lease is too short.");
    assertThat(row("command:/bin/x", "").reason()).isEmpty();
  }

  @Test
  void aScreenBeginsWithWhatWasFoundAndAPipeGetsEverything() {
    var rows = new ArrayList<RunRow>();
    for (int n = 0; n < 40; n++) {
      rows.add(new RunRow("a/b/" + n, "title", "skipped", "", "too few points"));
    }
    rows.add(new RunRow("a/b/found", "title", "analyzed", "Main.java:1", ""));

    assertThat(printed(rows, true)).hasLineCount(6).contains("and 37 more");
    assertThat(printed(rows, true).lines().skip(1).findFirst().orElseThrow()).contains("found");
    assertThat(printed(rows, false)).hasLineCount(42);
    assertThat(printed(rows.subList(28, 41), true)).as("a short list").hasLineCount(14);
  }

  private static String printed(List<RunRow> rows, boolean screen) {
    var bytes = new ByteArrayOutputStream();
    var out = new PrintStream(bytes, true, UTF_8);
    var terminal = new Terminal(out, out, screen, screen, Map.of(), Optional.empty());
    RunPresenter.table(terminal, rows, Table.Form.FULL);
    return bytes.toString(UTF_8);
  }

  private static RunRow row(String agent, String text) {
    var analysis =
        new Analysis(
            "1",
            new Fingerprint("1:t", "ab"),
            null,
            text,
            List.of(),
            0,
            agent,
            null,
            "s",
            "t:1",
            AT,
            null,
            null,
            null);
    return RunRow.of(
        new RunView.Result(
            new ItemRow("default/items/1", "", "analyzed", null, "1", 2, null, AT, null, 0),
            analysis));
  }
}
