package dev.flyball.program.run;

import dev.flyball.contract.session.Analysis;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One item in the report.
 *
 * @param where the first file and line that its analysis names, empty if there is none
 * @param reason why it is not analyzed, or the beginning of an analysis that names no file
 */
record RunRow(String key, String title, String phase, String where, String reason) {

  static RunRow of(String key, ItemState state, @Nullable Analysis analysis) {
    boolean analyzed = state.phase() instanceof ItemPhase.Analyzed;
    List<Analysis.Passage> files = analyzed && analysis != null ? analysis.files() : List.of();
    String where =
        files.isEmpty() ? "" : files.getFirst().path() + ":" + files.getFirst().fromLine();
    return new RunRow(
        key,
        state.snapshot().title(),
        state.phase().word(),
        where,
        reason(state.phase(), analysis));
  }

  private static String reason(ItemPhase phase, @Nullable Analysis analysis) {
    return switch (phase) {
      case ItemPhase.Skipped s -> s.reason();
      case ItemPhase.Failed f -> f.reason();
      case ItemPhase.Dead d -> d.reason();
      case ItemPhase.Cancelled c -> c.reason();
      case ItemPhase.Closed c -> c.reason();
      case ItemPhase.New n -> "";
      case ItemPhase.Triaging t -> "";
      case ItemPhase.Queued q -> "";
      case ItemPhase.Running r -> "";
      case ItemPhase.Analyzed a -> analysis == null ? "" : said(analysis);
    };
  }

  /**
   * The reason column of an analysis that names no file. For the scout it says that no file matches
   * clearly, because only the scout ranks files; for another agent it is the first line of its
   * answer.
   */
  private static String said(Analysis analysis) {
    return analysis.agent().equals("scout")
        ? "no file stands out"
        : analysis.text().lines().filter(line -> !line.isBlank()).findFirst().orElse("").strip();
  }
}
