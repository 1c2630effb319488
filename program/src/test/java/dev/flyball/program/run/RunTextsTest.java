package dev.flyball.program.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.ops.console.RunView;
import dev.flyball.ops.console.view.RunStatus;
import dev.flyball.producer.PollReport;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The progress line, the last line and the report of a run. */
final class RunTextsTest {
  private static final Instant AT = Instant.parse("2026-02-10T08:00:00Z");

  private static final PollReport.Finished POLLED =
      new PollReport.Finished("default/items", "p", 1, 1, 1, List.of(), Map.of(), List.of(), false);

  @Test
  void theLastLineDoesNotNameWhatDidNotHappen() {
    RunReport report = report(RunStatus.NOTHING, figures(Map.of(), 0));

    assertThat(RunPresenter.line(RunStatus.NOTHING, 0, report))
        .isEqualTo("1 item: nothing changed; sessions: no session; triage calls: 0; 0.1 s");
    assertThat(Progress.line(RunStatus.NOTHING, AT)).isNotBlank().doesNotContainPattern("[0-9]");
  }

  @Test
  void theLinesSeparateWhatAnEarlierRunLeftFromWhatChanged() {
    var status =
        new RunStatus(
            Map.of(
                "default/items/1", new RunStatus.Item("skipped", false, false, true),
                "default/items/3", new RunStatus.Item("queued", true, true, false)),
            false,
            RunStatus.NOTHING.ledger(),
            List.of(AT.plusSeconds(30)));
    RunView.Figures figures = figures(Map.of("completed", 1, "lost", 2), 1);
    RunReport report = report(status, figures);

    assertThat(RunPresenter.line(status, figures.inherited(), report))
        .isEqualTo(
            "1 item: 1 queued; left over from an earlier run: 1 skipped; sessions: 1 completed, 2"
                + " lost, 1 of them begun by an earlier run; triage calls: 0; 0.1 s");
    assertThat(Progress.line(status, AT))
        .isEqualTo("1 of 2 settled: 1 queued, 1 skipped; next attempt at 2026-02-10T08:00:30Z");
    assertThat(report.continued()).isEqualTo(1);
    assertThat(report.sessions()).containsEntry("completed", 1).containsEntry("failed", 0);
  }

  private static RunView.Figures figures(Map<String, Integer> sessions, int inherited) {
    return new RunView.Figures(0, 0, 0, 0, 0, sessions, inherited, 0);
  }

  private static RunReport report(RunStatus status, RunView.Figures figures) {
    return RunReport.of(POLLED, status, figures, 0, 0, 100);
  }
}
