package dev.flyball.program.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.Fingerprint;
import dev.flyball.contract.session.Analysis;
import dev.flyball.ops.console.RunView;
import dev.flyball.ops.console.view.ItemRow;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What stands beside an analysis that names no file. */
final class RunRowTest {
  private static final Instant AT = Instant.parse("2026-02-10T08:00:00Z");

  @Test
  void onlyTheScoutLooksForFilesThatStandOut() {
    assertThat(row("scout", "ranking").reason()).isNotBlank().isNotEqualTo("ranking");
    assertThat(row("claude", "\n  The lease is too short.\nMore.").reason())
        .isEqualTo("The lease is too short.");
    assertThat(row("command:/bin/x", "").reason()).isEmpty();
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
