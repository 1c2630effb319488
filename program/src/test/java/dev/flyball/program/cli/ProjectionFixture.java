package dev.flyball.program.cli;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.contract.topic.Position;
import dev.flyball.testkit.Sample;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A projection as a console has left it, written without one. */
final class ProjectionFixture {
  /** Every schema that the console has; a new one is added here too. */
  private static final List<String> SCHEMAS = List.of("1.sql", "2.sql", "3.sql", "4.sql");

  private final Path file;

  ProjectionFixture(Path data) {
    file = data.resolve("console/console.db");
    SCHEMAS.forEach(this::run);
  }

  private void run(String name) {
    String schema = "/dev/flyball/ops/console/projection/" + name;
    try (InputStream in = Objects.requireNonNull(getClass().getResourceAsStream(schema))) {
      Files.createDirectories(file.getParent());
      for (String sql : new String(in.readAllBytes(), StandardCharsets.UTF_8).split(";\\s*\n")) {
        write(sql);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The ledger as the console last read it. */
  ProjectionFixture ledger(LedgerState ledger) {
    write("INSERT OR REPLACE INTO meta VALUES ('ledger', ?)", RecordJson.write(ledger.snapshot()));
    return this;
  }

  /** The whole state of an item that is there. */
  ProjectionFixture state(String key, ItemPhase phase) {
    var snapshot = Sample.snapshot("A title", "text");
    var state =
        new ItemState(
            ItemState.SCHEMA,
            snapshot,
            new Position(0, 0),
            null,
            phase,
            null,
            List.of(),
            0,
            0L,
            Instant.EPOCH);
    write("UPDATE item SET json = ? WHERE key = ?", RecordJson.write(state), key);
    return this;
  }

  ProjectionFixture asOf(Instant moment) {
    write("INSERT OR REPLACE INTO meta VALUES ('as-of', ?)", moment.toString());
    return this;
  }

  /** An item; {@code waitingSince} is null once nothing more happens to it. */
  ProjectionFixture item(String key, String state, String reason, @Nullable Instant waitingSince) {
    write(
        "INSERT INTO item VALUES (?, 'default', 'A title', ?, ?, '1', 2, NULL, ?, ?, 0, '{}')",
        key,
        state,
        reason,
        Instant.EPOCH.toString(),
        waitingSince == null ? null : waitingSince.toString());
    return this;
  }

  /** A session that ran when the console last looked. */
  ProjectionFixture live(String session, String key, Instant since, Instant progress, int hung) {
    write("INSERT INTO lease VALUES (?, ?, 'r1', 1, ?, 5, 0)", session, key, since.toString());
    write(
        "INSERT INTO session (id, item, pid, level, processes, progress_at, hung) VALUES (?, ?, 42,"
            + " 'A', 2, ?, "
            + hung
            + ")",
        session,
        key,
        progress.toString());
    return this;
  }

  private void write(String sql, @Nullable String... values) {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file)) {
      if (values.length == 0) {
        try (Statement statement = connection.createStatement()) {
          statement.execute(sql);
        }
        return;
      }
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        for (int i = 0; i < values.length; i++) {
          statement.setString(i + 1, values[i]);
        }
        statement.execute();
      }
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }
}
