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
import dev.flyball.ops.console.why.ItemStatus.WaitingRow;
import dev.flyball.ops.console.why.WhyNotRunning;
import dev.flyball.ops.console.why.WhyNotRunning.WaitingRequest;
import dev.flyball.sqlite.Database;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the projection knows of one item. One thread at a time. */
final class ItemQueries {
  private final Database sql;
  private final TenantScope scope;

  ItemQueries(Database sql, TenantScope scope) {
    this.sql = sql;
    this.scope = scope;
  }

  /** See {@link ConsoleView#item}. */
  Optional<ItemStory> story(String key) {
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
  List<WaitingRow> next(int most, Instant now, Map<String, Long> reserves) {
    NextUp.Why why = item -> why(item, now, reserves).map(ItemStatus::reasons).orElse(List.of());
    return new NextUp(sql)
        .read(most, why).stream()
            .flatMap(key -> row(key).stream())
            .map(row -> new WaitingRow(row, why.of(row.key())))
            // The ledger is ahead of the item's state: its session is among the live ones already.
            .filter(it -> it.reasons().stream().noneMatch(ItemQueries::runs))
            .toList();
  }

  private static boolean runs(ItemStatus.Reason reason) {
    return reason.reason() == ItemStatus.Word.RUNS;
  }

  /** See {@link ConsoleView#why}. */
  Optional<ItemStatus> why(String key, Instant now, Map<String, Long> reserves) {
    Optional<ItemRow> row = row(key);
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
  private Optional<ItemStatus.Reason> live(String key) {
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
      ItemKey item, ItemState state, Instant now, Map<String, Long> reserves) {
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

  private Optional<ItemRow> row(String key) {
    return sql.first(Rows.of(ItemRow.class), "SELECT * FROM item WHERE key = ?", key);
  }

  private static ItemStory.Event eventOf(ResultSet row) throws SQLException {
    return new ItemStory.Event(
        Instant.parse(row.getString("time")).truncatedTo(ChronoUnit.MILLIS),
        row.getString("type"),
        row.getString("source"),
        row.getString("session"),
        RecordJson.parse(row.getString("data")));
  }

  /**
   * Waiting items in the order in which runners claim them ({@code runner.queue.RequestIndex}): the
   * tenant with the fewest live sessions, then the one that was served longest ago, and within a
   * tenant by turn. Items that something else than a lack of slots holds up come last. One thread.
   */
  static final class NextUp {
    /** Most requests of one source that are considered. */
    private static final int OF_A_SOURCE = 200;

    private final Database sql;

    NextUp(Database sql) {
      this.sql = sql;
    }

    /** Says why an item waits. */
    interface Why {
      List<ItemStatus.Reason> of(String item);
    }

    /** What the ledger holds up together. */
    private record Lane(String source, @Nullable String provider, String profile) {}

    private record Waiting(String item, String source, @Nullable String provider, String profile) {}

    /** The keys of the first items. */
    List<String> read(int most, Why why) {
      var free = new ArrayList<String>();
      var held = new ArrayList<String>();
      var open = new HashMap<Lane, Boolean>();
      for (Waiting each : waiting()) {
        var lane = new Lane(each.source, each.provider, each.profile);
        Boolean known = open.get(lane);
        if (known == null) {
          known = why.of(each.item).stream().allMatch(NextUp::inLine);
          open.put(lane, known);
        }
        (known ? free : held).add(each.item);
      }
      var keys = new ArrayList<>(ordered(free, most));
      keys.addAll(ordered(held, most - keys.size()));
      return keys;
    }

    private static boolean inLine(ItemStatus.Reason reason) {
      return switch (reason.reason()) {
        case AT_CAP -> Scope.GLOBAL.equals(reason.scope());
        case PAUSED, PROVIDER, BUDGET, NO_PROFILE, REQUESTS_LOST, UNKNOWN_RULES -> false;
        default -> true;
      };
    }

    /**
     * The first of these items. Runners claim of the tenant with the fewest live sessions, so that
     * the tenants which have more meanwhile follow, those that were served longest ago first.
     */
    private List<String> ordered(List<String> items, int most) {
      return sql.list(
          row -> row.getString(1),
          "WITH chosen AS (SELECT item, tenant, turn FROM request WHERE item IN (SELECT value FROM"
              + " json_each(?1))), tenants AS MATERIALIZED (SELECT tenant, min(turn) AS first,"
              + " (SELECT count(*) FROM lease WHERE lease.tenant = chosen.tenant) AS live,"
              + " max(coalesce((SELECT max(claimed_at) FROM lease WHERE lease.tenant ="
              + " chosen.tenant), ''), coalesce((SELECT started_at FROM session WHERE"
              + " session.tenant = chosen.tenant AND started_at IS NOT NULL ORDER BY ended_at DESC"
              + " LIMIT 1), '')) AS served FROM chosen GROUP BY tenant) SELECT item FROM chosen"
              + " JOIN tenants USING (tenant) ORDER BY row_number() OVER (PARTITION BY tenant ORDER"
              + " BY turn) + live, live DESC, served, first LIMIT ?2",
          RecordJson.write(items),
          most);
    }

    /** What waits, of each source the first ones. */
    private List<Waiting> waiting() {
      var all = new ArrayList<Waiting>();
      for (String source :
          sql.list(
              row -> row.getString(1), "SELECT DISTINCT source FROM request ORDER BY source")) {
        all.addAll(
            sql.list(
                Rows.of(Waiting.class),
                "SELECT request.item, request.source, request.provider, request.profile"
                    + " FROM request JOIN item ON item.key = request.item WHERE"
                    + " request.source = ? AND item.state = 'queued' AND NOT EXISTS (SELECT 1 FROM"
                    + " lease WHERE lease.item = request.item) ORDER BY request.turn LIMIT ?",
                source,
                OF_A_SOURCE));
      }
      return all;
    }
  }
}
