package dev.flyball.ops.console;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.LedgerState;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.session.Route;
import dev.flyball.contract.state.ItemState;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.ops.console.projection.ProjectionFile;
import dev.flyball.ops.console.projection.WaitingRequests;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.console.view.ItemStory;
import dev.flyball.ops.console.why.ItemStatus;
import dev.flyball.ops.console.why.WaitingRequest;
import dev.flyball.ops.console.why.WhyNotRunning;
import dev.flyball.sqlite.Database;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What the projection knows of one item. One thread at a time. */
final class ItemQueries {
  private final Database sql;
  private final TenantScope scope;

  ItemQueries(Database sql, TenantScope scope) {
    this.sql = sql;
    this.scope = scope;
  }

  /** See {@link ConsoleView#state}. */
  Optional<String> state(String key) throws SQLException {
    return scope.coversKey(key)
        ? sql.first(row -> row.getString(1), "SELECT state FROM item WHERE key = ?", key)
        : Optional.empty();
  }

  /** See {@link ConsoleView#item}. */
  Optional<ItemStory> story(String key) throws SQLException {
    if (!scope.coversKey(key)) {
      return Optional.empty();
    }
    var events =
        sql.list(ItemQueries::eventOf, "SELECT * FROM event WHERE subject = ? ORDER BY id", key);
    var row = row(key);
    var state =
        sql.first(
            found -> RecordJson.parse(found.getString(1)),
            "SELECT json FROM item_state WHERE key = ?",
            key);
    return events.isEmpty() && row.isEmpty()
        ? Optional.empty()
        : Optional.of(new ItemStory(row.orElse(null), state.orElse(null), events));
  }

  /** See {@link ConsoleView#next}. */
  List<ItemRow> next(int most, Instant now, Map<String, Long> reserves) throws SQLException {
    var rows = new ArrayList<ItemRow>();
    for (String key :
        new NextUp(sql, scope)
            .read(
                most,
                item -> why(item, now, reserves).map(ItemStatus::reasons).orElse(List.of()))) {
      row(key).ifPresent(rows::add);
    }
    return rows;
  }

  /** See {@link ConsoleView#why}. */
  Optional<ItemStatus> why(String key, Instant now, Map<String, Long> reserves)
      throws SQLException {
    var row = scope.coversKey(key) ? row(key) : Optional.<ItemRow>empty();
    if (row.isEmpty()) {
      return Optional.empty();
    }
    ItemState state =
        sql.first(
                found -> RecordJson.read(found.getString(1), ItemState.class),
                "SELECT json FROM item_state WHERE key = ?",
                key)
            .orElseThrow();
    Optional<ItemStatus.Reason> live = live(key);
    List<ItemStatus.Reason> reasons =
        live.isPresent()
            ? List.of(live.get())
            : notRunning(ItemKey.parse(key), state, now, reserves);
    Route route = WhyNotRunning.route(state.phase());
    return Optional.of(
        new ItemStatus(
            key,
            row.get().title(),
            row.get().state(),
            reasons.stream().map(this::seen).toList(),
            route == null ? null : route.profile(),
            route == null ? null : route.by()));
  }

  /**
   * The session that an item has now. The table of leases follows each ledger entry; the ledger's
   * state is stored at most once a second, so a claim would be missing from it for that long.
   */
  private Optional<ItemStatus.Reason> live(String key) throws SQLException {
    return sql.first(
        row ->
            WhyNotRunning.runs(
                row.getString("session"),
                row.getString("runner"),
                Instant.parse(row.getString("claimed_at")),
                row.getInt("attempt")),
        "SELECT session, runner, claimed_at, attempt FROM lease WHERE item = ?",
        key);
  }

  private List<ItemStatus.Reason> notRunning(
      ItemKey item, ItemState state, Instant now, Map<String, Long> reserves) throws SQLException {
    WaitingRequest wanted = WaitingRequests.of(sql, item).orElse(null);
    LedgerState ledger = ProjectionFile.ledger(sql);
    return new WhyNotRunning(ledger, now, reserves)
        .reasons(item, state, wanted, WaitingRequests.lost(sql, item, ledger).orElse(null));
  }

  /** What global, providers and runners have in use is the sum of all tenants. */
  private ItemStatus.Reason seen(ItemStatus.Reason reason) {
    boolean shared = reason.scope() == null || Scope.tenantOf(reason.scope()).isEmpty();
    return scope.tenants() != null && shared ? reason.withoutFigures() : reason;
  }

  private Optional<ItemRow> row(String key) throws SQLException {
    return sql.first(ItemQueries::itemOf, "SELECT * FROM item WHERE key = ?", key);
  }

  static ItemRow itemOf(ResultSet row) throws SQLException {
    return new ItemRow(
        row.getString("key"),
        row.getString("title"),
        row.getString("state"),
        row.getString("reason"),
        row.getString("revision"),
        row.getInt("priority"),
        row.getString("url"),
        Instant.parse(row.getString("updated_at")),
        Database.instant(row, "waiting_since"),
        row.getLong("spent_micros"));
  }

  private static ItemStory.Event eventOf(ResultSet row) throws SQLException {
    return new ItemStory.Event(
        Instant.parse(row.getString("time")).truncatedTo(ChronoUnit.MILLIS),
        row.getString("type"),
        row.getString("source"),
        row.getString("session"),
        RecordJson.parse(row.getString("data")));
  }
}
