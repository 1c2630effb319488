package dev.flyball.program.run;

import dev.flyball.contract.session.Analysis;
import dev.flyball.ops.console.RunView;
import java.util.List;

/**
 * One item in the report.
 *
 * @param where the first file and line that its analysis names, empty if there is none
 * @param reason why it is not analyzed, or the beginning of an analysis that names no file
 */
record RunRow(String key, String title, String phase, String where, String reason) {

  /** Whether nothing is to be done for it: it was judged not worth a session, or is closed. */
  boolean needsNoSession() {
    return phase.equals("skipped") || phase.equals("closed");
  }

  static RunRow of(RunView.Result result) {
    var item = result.item();
    Analysis analysis = item.state().equals("analyzed") ? result.analysis() : null;
    List<Analysis.Passage> files = analysis == null ? List.of() : analysis.files();
    String where =
        files.isEmpty() ? "" : files.getFirst().path() + ":" + files.getFirst().fromLine();
    String reason = analysis != null ? said(analysis) : item.reason() == null ? "" : item.reason();
    return new RunRow(item.key(), item.title(), item.state(), where, reason);
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
