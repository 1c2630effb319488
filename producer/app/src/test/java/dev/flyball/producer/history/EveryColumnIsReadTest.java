package dev.flyball.producer.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.producer.change.Known;
import dev.flyball.producer.history.PollHistory.LocalCopy;
import dev.flyball.producer.history.PollHistory.PollRun;
import dev.flyball.producer.history.PollHistory.RevisitMark;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Changes each column of producer.db; a reader must then answer differently. A column that is
 * written and never read is a defect.
 */
@DisplayName("S0-10: every column that is written is read")
class EveryColumnIsReadTest {
  private static final String SOURCE = "acme/web";
  private static final ItemKey A = ItemKey.parse(SOURCE + "/1");
  private static final ItemKey B = ItemKey.parse(SOURCE + "/2");
  private static final Instant AT = Instant.parse("2026-11-22T10:00:00Z");

  @TempDir Path folder;

  @Test
  void everyColumn() throws SQLException, IOException {
    Path file = filled();
    List<Object> answers = answers(copy(file, "as-it-is"));
    int columns = 0;
    for (String table : names(file, "SELECT name FROM sqlite_master WHERE type = 'table'")) {
      for (String column : names(file, "SELECT name FROM pragma_table_info('" + table + "')")) {
        Path altered = copy(file, table + "." + column);
        alter(altered, table, column);
        assertThat(answers(altered))
            .as("nobody reads column %s of table %s", column, table)
            .isNotEqualTo(answers);
        columns++;
      }
    }
    assertThat(columns).as("columns").isGreaterThan(20);
  }

  private Path copy(Path file, String name) throws IOException {
    return Files.copy(file, folder.resolve(name + ".db"));
  }

  /** A history with a published copy, a staged one, and two polls. */
  private Path filled() {
    Path file = folder.resolve("filled.db");
    try (var history = PollHistory.open(file)) {
      history.replace(SOURCE, "c1", new LocalCopy(Map.of(A, known("d1")), Set.of("i1")));
      history.stage(SOURCE, "c2", new LocalCopy(Map.of(B, known("d2")), Set.of("i2")), false);
      history.revisit(SOURCE, new RevisitMark(AT, A));
      history.add(run("p1", "finished", null));
      history.add(run("p2", "failed", "503"));
    }
    return file;
  }

  /** The answers of every reader of the history, before the staged copy is promoted and after. */
  private static List<Object> answers(Path file) {
    var both = List.of(A, B);
    try (var history = PollHistory.open(file)) {
      var answers = new ArrayList<Object>();
      answers.add(history.isAt(SOURCE, "c1"));
      answers.add(history.copyAt(SOURCE, "c1", both));
      answers.add(history.newestCopy(SOURCE, both));
      answers.add(history.revisited(SOURCE));
      answers.add(history.runs(SOURCE, 9));
      answers.add(history.runs(9));
      answers.add(history.lastSuccess(SOURCE));
      answers.add(history.copyAt(SOURCE, "c2", both));
      return answers;
    }
  }

  private static void alter(Path file, String table, String column) throws SQLException {
    String other =
        switch (column) {
          case "id" -> "100 - id";
          case "whole" -> "1";
          case "started_at", "ended_at", "began", "changed" -> "'2001-01-01T00:00:00Z'";
          default ->
              "CASE typeof(%1$s) WHEN 'integer' THEN %1$s + 1 ELSE coalesce(%1$s, '') || 'x' END"
                  .formatted(column);
        };
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement()) {
      statement.executeUpdate("UPDATE " + table + " SET " + column + " = " + other);
    }
  }

  private static List<String> names(Path file, String query) throws SQLException {
    var names = new ArrayList<String>();
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      while (rows.next()) {
        names.add(rows.getString(1));
      }
    }
    return names;
  }

  private static Known known(String digest) {
    return new Known(List.of(digest), "1:title", "h" + digest, AT);
  }

  private static PollRun run(String poll, String outcome, @Nullable String reason) {
    return new PollRun(SOURCE, poll, AT, AT.plusSeconds(1), outcome, reason, 5, 4, 3, 2, 1);
  }
}
