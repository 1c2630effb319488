package dev.flyball.program.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.state.ItemPhase;
import dev.flyball.contract.state.ItemState;
import dev.flyball.kafka.KafkaSettings;
import dev.flyball.ops.console.ConsoleApp;
import dev.flyball.ops.console.ConsoleConfig;
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
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A projection as a console has left it, written without one. */
public final class ProjectionFixture implements AutoCloseable {
  private final Path file;
  private final Connection connection;

  /** Makes one with every table, below this data folder. */
  public ProjectionFixture(Path data) {
    file = data.resolve("console/console.db");
    try (Database made = Database.open(file, ProjectionFile.schema(), "")) {
      // Every table is there now, as a console makes them.
      assertThat(made).isNotNull();
    }
    try {
      connection = DriverManager.getConnection("jdbc:sqlite:" + file);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  /** The ledger of these entries, as the console last read it. */
  public ProjectionFixture ledger(LedgerEntry... entries) {
    LedgerState ledger = LedgerState.empty();
    for (LedgerEntry entry : entries) {
      ledger = ledger.fold(entry, ledger.offset() + 1, Instant.now()).state();
    }
    return write(
        "INSERT OR REPLACE INTO meta VALUES ('ledger', ?)", RecordJson.write(ledger.snapshot()));
  }

  /** The whole state of an item that is there. */
  public ProjectionFixture state(String key, ItemPhase phase) {
    var snapshot = Sample.snapshot("A title", "text");
    var state = Sample.state(snapshot, phase, 0, Instant.EPOCH);
    return write("UPDATE item_state SET json = ? WHERE key = ?", RecordJson.write(state), key);
  }

  /** A console that serves it, on a free port. */
  public AdminServer serve(String kafka, ConsoleAccess access, Supplier<Health> health) {
    var telemetry = new Telemetry();
    AdminServer server =
        AdminServer.start(
            AdminAddress.plain("console.listen", ListenAddress.LOOPBACK),
            access,
            telemetry,
            health);
    var config = ConsoleConfig.defaults(Objects.requireNonNull(file.getParent()));
    new ConsoleApp(config, KafkaSettings.of(kafka), telemetry).attach(server, access, "", Map.of());
    return server;
  }

  /** When Kafka last answered. */
  public ProjectionFixture asOf(Instant moment) {
    return write("INSERT OR REPLACE INTO meta VALUES ('as-of', ?)", moment);
  }

  /** An item; {@code waitingSince} is null once nothing more happens to it. */
  public ProjectionFixture item(
      String key, String state, String reason, @Nullable Instant waitingSince) {
    return item(key, "A title", state, reason, Instant.EPOCH, waitingSince, "{}");
  }

  /** An item with its whole state. */
  public ProjectionFixture item(String key, String title, ItemState state) {
    Instant since = state.updatedAt();
    String reason = RecordJson.tree(state).path("phase").path("reason").asText("");
    ItemPhase phase = state.phase();
    return item(
        key,
        title,
        phase.word(),
        reason,
        since,
        phase.settled() ? null : since,
        RecordJson.write(state));
  }

  private ProjectionFixture item(
      String key,
      String title,
      String state,
      String reason,
      Instant updatedAt,
      @Nullable Instant waitingSince,
      String json) {
    write(
        "INSERT INTO item (key, tenant, source, title, state, turn, reason, revision, priority,"
            + " updated_at, waiting_since, spent_micros, text, sorted) VALUES (?1, ?2, ?3, ?4, ?5,"
            + " ?6, ?7, '1', 2, ?8, ?9, 0, lower(?1 || char(10) || ?4), ?10)",
        key,
        ItemKey.parse(key).tenant(),
        ItemKey.parse(key).sourceKey(),
        title,
        state,
        ItemFilter.turn(state),
        reason,
        updatedAt,
        waitingSince,
        ItemFilter.sorted(key));
    return write("INSERT INTO item_state (key, json) VALUES (?, ?)", key, json);
  }

  /** A poll that finished, and whose end took two seconds. */
  public ProjectionFixture poll(String source, String poll, Instant start) {
    return write(
        "INSERT INTO poll (source, tenant, poll, at, json) VALUES (?1, ?2, ?3, ?5, json_object("
            + "'source', ?1, 'poll', ?3, 'startedAt', ?4, 'endedAt', ?5, 'result', 'finished',"
            + " 'polled', 4, 'changed', 3, 'duplicates', 2, 'invalid', 1))",
        source,
        source.replaceAll("/.*", ""),
        poll,
        start,
        start.plusSeconds(2));
  }

  /** A dead letter of work-items; its offset is its place too. */
  public ProjectionFixture deadLetter(String key, int offset, Instant at) {
    return write(
        "INSERT INTO dead_letter VALUES (0, "
            + offset
            + ", ?1, ?2, ?3, 'not JSON', 'flyball.work-items', 1, "
            + offset
            + ", 'triage-stream')",
        key.replaceAll("/.*", ""),
        key,
        at);
  }

  /** A session that ran when the console last looked. */
  public ProjectionFixture live(
      String session, String key, Instant since, Instant progress, int hung) {
    write("INSERT INTO lease VALUES (?, ?, 'default', 'r1', 1, ?, 5, 0)", session, key, since);
    return write(
        "INSERT INTO session (id, item, tenant, tokens, cost_micros, data, progress_at, hung)"
            + " VALUES (?, ?, 'default', 0, 0, json_object('pid', 42, 'level', 'A', 'processes',"
            + " 2), ?, "
            + hung
            + ")",
        session,
        key,
        progress);
  }

  /** Runs this statement with these values. */
  public ProjectionFixture write(String sql, @Nullable Object... values) {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i] instanceof Instant time ? time.toString() : values[i]);
      }
      statement.execute();
      return this;
    } catch (SQLException e) {
      throw new AssertionError(sql, e);
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
