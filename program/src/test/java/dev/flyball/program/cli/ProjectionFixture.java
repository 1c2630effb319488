package dev.flyball.program.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.console.ConsoleApp;
import dev.flyball.ops.console.ConsoleConfig;
import dev.flyball.ops.console.access.AccessRole;
import dev.flyball.ops.console.access.AccessToken;
import dev.flyball.ops.console.access.ConsoleAccess;
import dev.flyball.ops.console.projection.ProjectionFile;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.telemetry.AdminAddress;
import dev.flyball.ops.telemetry.AdminServer;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.ListenAddress;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.sqlite.Database;
import dev.flyball.testkit.Sample;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A projection as a console has left it, written without one. */
final class ProjectionFixture {
  private final Path file;

  ProjectionFixture(Path data) {
    file = data.resolve("console/console.db");
    try (Database made = Database.open(file, ProjectionFile.schema(), "")) {
      // Every table is there now, as a console makes them.
      assertThat(made).isNotNull();
    }
  }

  /** The ledger of these entries, as the console last read it. */
  ProjectionFixture ledger(LedgerEntry... entries) {
    LedgerState ledger = LedgerState.empty();
    for (LedgerEntry entry : entries) {
      ledger = ledger.fold(entry, ledger.offset() + 1, Instant.now()).state();
    }
    write("INSERT OR REPLACE INTO meta VALUES ('ledger', ?)", RecordJson.write(ledger.snapshot()));
    return this;
  }

  /** The whole state of an item that is there. */
  ProjectionFixture state(String key, ItemPhase phase) {
    var snapshot = Sample.snapshot("A title", "text");
    var state = Sample.state(snapshot, phase, 0, Instant.EPOCH);
    write("UPDATE item_state SET json = ? WHERE key = ?", RecordJson.write(state), key);
    return this;
  }

  /**
   * A console that serves it, on a free port.
   *
   * @param token of a viewer of every tenant
   * @param tokenOfOther of a viewer of the tenant other
   */
  AdminServer serve(KafkaSettings kafka, String token, String tokenOfOther) {
    var tokens =
        List.of(
            AccessToken.ofPlain("ann", token, Map.of("*", AccessRole.VIEWER)),
            AccessToken.ofPlain("otto", tokenOfOther, Map.of("other", AccessRole.VIEWER)));
    var access = new ConsoleAccess(tokens, false, InstantSource.system());
    var telemetry = new Telemetry();
    AdminServer server =
        AdminServer.start(
            AdminAddress.plain("console.listen", ListenAddress.LOOPBACK),
            access,
            telemetry,
            Health::healthy);
    new ConsoleApp(
            ConsoleConfig.defaults(Objects.requireNonNull(file.getParent())), kafka, telemetry)
        .attach(server, access, "", Map.of());
    return server;
  }

  ProjectionFixture asOf(Instant moment) {
    write("INSERT OR REPLACE INTO meta VALUES ('as-of', ?)", moment.toString());
    return this;
  }

  /** An item; {@code waitingSince} is null once nothing more happens to it. */
  ProjectionFixture item(String key, String state, String reason, @Nullable Instant waitingSince) {
    write(
        "INSERT INTO item (key, tenant, source, title, state, turn, reason, revision, priority,"
            + " updated_at, waiting_since, spent_micros, text) VALUES (?1, 'default', ?2, 'A"
            + " title', ?3, "
            + ItemFilter.turn(state)
            + ", ?4, '1', 2, ?5, ?6, 0, lower(?1 || char(10) || 'A title'))",
        key,
        ItemKey.parse(key).sourceKey(),
        state,
        reason,
        Instant.EPOCH.toString(),
        waitingSince == null ? null : waitingSince.toString());
    write("INSERT INTO item_state (key, json) VALUES (?, '{}')", key);
    return this;
  }

  /** A poll that finished, and whose end took two seconds. */
  ProjectionFixture poll(String source, String poll, Instant start) {
    write(
        "INSERT INTO poll (source, tenant, poll, at, json) VALUES (?1, ?2, ?3, ?5, json_object("
            + "'source', ?1, 'poll', ?3, 'startedAt', ?4, 'endedAt', ?5, 'result', 'finished',"
            + " 'polled', 4, 'changed', 3, 'duplicates', 2, 'invalid', 1))",
        source,
        source.replaceAll("/.*", ""),
        poll,
        start.toString(),
        start.plusSeconds(2).toString());
    return this;
  }

  /** A dead letter of work-items; its offset is its place too. */
  ProjectionFixture deadLetter(String key, int offset, Instant at) {
    write(
        "INSERT INTO dead_letter VALUES (0, "
            + offset
            + ", ?1, ?2, ?3, 'not JSON', 'flyball.work-items', 1, "
            + offset
            + ", 'triage-stream')",
        key.replaceAll("/.*", ""),
        key,
        at.toString());
    return this;
  }

  /** A session that ran when the console last looked. */
  ProjectionFixture live(String session, String key, Instant since, Instant progress, int hung) {
    write(
        "INSERT INTO lease VALUES (?, ?, 'default', 'r1', 1, ?, 5, 0)",
        session,
        key,
        since.toString());
    write(
        "INSERT INTO session (id, item, tenant, tokens, cost_micros, data, progress_at, hung)"
            + " VALUES (?, ?, 'default', 0, 0, json_object('pid', 42, 'level', 'A', 'processes',"
            + " 2), ?, "
            + hung
            + ")",
        session,
        key,
        progress.toString());
    return this;
  }

  private void write(String sql, @Nullable String... values) {
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setString(i + 1, values[i]);
      }
      statement.execute();
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }
}
