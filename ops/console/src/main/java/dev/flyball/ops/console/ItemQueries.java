package dev.flyball.ops.console;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.ledger.Scope;
import dev.flyball.contract.session.Route;
import dev.flyball.contract.state.ItemState;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.ops.console.projection.ProjectionFile;
import dev.flyball.ops.console.projection.WaitingRequests;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.ops.console.view.ItemStory;
import dev.flyball.ops.console.why.ItemStatus;
import dev.flyball.ops.console.why.ItemStatus.Reason;
import dev.flyball.ops.console.why.ItemStatus.WaitingRow;
import dev.flyball.ops.console.why.ItemStatus.Word;
import dev.flyball.ops.console.why.WhyNotRunning;
import dev.flyball.sqlite.Database;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the projection knows of items; {@link ConsoleView} says what each question means. A list of
 * items in its order follows an index; a text is compared with every item, which takes half a
 * second for a million of them. One thread at a time.
 */
final class ItemQueries {
  /** Most waiting requests of one source of which the next ones are chosen. */
  private static final int OF_A_SOURCE = 200;

  private final Database sql;
  private final TenantScope scope;

  ItemQueries(Database sql, TenantScope scope) {
    this.sql = sql;
    this.scope = scope;
  }

  List<ItemRow> page(ItemFilter filter) {
    var matching = new Matching(filter, scope);
    if (filter.after() != null) {
      String[] place = filter.after().split("\\.", 3);
      matching.and(
          "(turn, priority, key) > (?, ?, ?)",
          Integer.valueOf(place[0]),
          Integer.valueOf(place[1]),
          place[2]);
    }
    return sql.list(
        ItemRow.class,
        "SELECT * " + matching.from + " ORDER BY turn, priority, key LIMIT " + filter.limit(),
        matching.values.toArray());
  }

  long count(ItemFilter filter) {
    int most = ItemFilter.COUNTED + 1;
    if (filter.source() == null && filter.parts().isEmpty()) {
      return number(
          "SELECT min(?1, coalesce(sum(items), 0)) FROM item_count WHERE (?2 IS NULL OR tenant ="
              + " ?2) AND (?3 IS NULL OR state = ?3)",
          most,
          filter.tenant(),
          filter.state());
    }
    var matching = new Matching(filter, scope);
    return number(
        "SELECT count(*) FROM (SELECT 1 " + matching.from + " LIMIT " + most + ")",
        matching.values.toArray());
  }

  private long number(String query, @Nullable Object... values) {
    return sql.first(Long.class, query, values).orElseThrow();
  }

  /** The tables and the condition of a filter, without its place, and the condition's values. */
  private static final class Matching {
    private final List<Object> values = new ArrayList<>();
    private String from;

    Matching(ItemFilter filter, TenantScope scope) {
      String source = filter.source();
      boolean named = source != null && source.indexOf('/') < 0;
      if (named || !filter.parts().isEmpty()) {
        // In the order of an index, the rows lie all over the file. The whole table is named here,
        // because a view of some tenants' rows has no such hint.
        from = "FROM main.item NOT INDEXED WHERE 1";
        if (scope.tenants() != null) {
          and("tenant IN (SELECT value FROM json_each(?))", RecordJson.write(scope.tenants()));
        }
      } else {
        from = "FROM item WHERE 1";
      }
      if (filter.tenant() != null) {
        and("tenant = ?", filter.tenant());
      }
      if (source != null) {
        and(named ? "substr(source, instr(source, '/') + 1) = ?" : "source = ?", source);
      }
      if (filter.state() != null) {
        and("turn = ?", ItemFilter.turn(filter.state()));
      }
      for (String part : filter.parts()) {
        and("instr(text, ?) > 0", part);
      }
    }

    private void and(String condition, Object... of) {
      from += " AND " + condition;
      values.addAll(List.of(of));
    }
  }

  Optional<ItemStory> story(String key) {
    var events =
        sql.list(
            row ->
                new ItemStory.Event(
                    Instant.parse(row.getString("at") + "Z"),
                    row.getString("type"),
                    row.getString("source"),
                    row.getString("session"),
                    RecordJson.parse(row.getString("data"))),
            "SELECT * FROM timeline WHERE subject = ? ORDER BY after, step, at, id",
            key);
    var row = row(key);
    return events.isEmpty() && row.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new ItemStory(
                row.orElse(null), state(key).map(RecordJson::parse).orElse(null), events));
  }

  private Optional<ItemRow> row(String key) {
    return sql.first(ItemRow.class, "SELECT * FROM item WHERE key = ?", key);
  }

  private Optional<String> state(String key) {
    return sql.first(String.class, "SELECT json FROM item_state WHERE key = ?", key);
  }

  Optional<ItemStatus> why(String key, Instant now, Map<String, Long> reserves) {
    return row(key).map(row -> why(row, judge(now, reserves)));
  }

  /** Restores the ledger, which takes long for a large one: once for all items of an answer. */
  private WhyNotRunning judge(Instant now, Map<String, Long> reserves) {
    return new WhyNotRunning(ProjectionFile.ledger(sql), now, reserves);
  }

  private ItemStatus why(ItemRow row, WhyNotRunning judge) {
    var state = RecordJson.read(state(row.key()).orElseThrow(), ItemState.class);
    Optional<Reason> live = live(row.key());
    List<Reason> reasons =
        live.isPresent() ? List.of(live.get()) : notRunning(ItemKey.parse(row.key()), state, judge);
    Route route = WhyNotRunning.route(state.phase());
    return new ItemStatus(
        row.key(),
        row.title(),
        row.state(),
        reasons.stream().map(this::seen).toList(),
        route == null ? null : route.profile(),
        route == null ? null : route.by());
  }

  /**
   * The session that an item has now. The table of leases follows each ledger entry; the ledger's
   * state is stored at most once a second, so a claim would be missing from it for that long.
   */
  private Optional<Reason> live(String key) {
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

  private List<Reason> notRunning(ItemKey item, ItemState state, WhyNotRunning judge) {
    return judge.reasons(
        item,
        state,
        WaitingRequests.of(sql, item).orElse(null),
        WaitingRequests.lost(sql, item, judge.ledger()).orElse(null));
  }

  /** What global, providers and runners have in use is the sum of all tenants. */
  private Reason seen(Reason reason) {
    boolean shared = reason.scope() == null || Scope.tenantOf(reason.scope()).isEmpty();
    return scope.tenants() != null && shared ? reason.withoutFigures() : reason;
  }

  /**
   * In the order in which runners claim ({@code runner.queue.RequestIndex}): of the tenant with the
   * fewest live sessions, then of the one that was served longest ago, and within a tenant by turn;
   * a tenant that has more sessions follows when the others have as many. Items that something else
   * than a lack of slots holds up come last.
   */
  List<WaitingRow> next(int most, Instant now, Map<String, Long> reserves) {
    WhyNotRunning judge = judge(now, reserves);
    var held = new HashMap<String, Boolean>();
    var choice = new ArrayList<List<Object>>();
    for (Waiting each : waiting()) {
      boolean isHeld =
          held.computeIfAbsent(
              each.lane,
              _ ->
                  row(each.item).stream()
                      .flatMap(row -> why(row, judge).reasons().stream())
                      .anyMatch(ItemQueries::holdsUp));
      choice.add(List.of(each.item, isHeld ? 1 : 0));
    }
    return sql
        .list(
            ItemRow.class,
            "WITH chosen AS (SELECT waiting.*, value ->> 1 AS held FROM json_each(?1) JOIN waiting"
                + " ON item = value ->> 0) SELECT item.* FROM chosen JOIN tenant_load USING"
                + " (tenant) JOIN item ON item.key = chosen.item WINDOW mine AS (PARTITION BY held,"
                + " chosen.tenant ORDER BY chosen.turn) ORDER BY held, row_number() OVER mine +"
                + " live, live DESC, served, first_value(chosen.turn) OVER mine LIMIT ?2",
            RecordJson.write(choice),
            most)
        .stream()
        .map(row -> new WaitingRow(row, why(row, judge).reasons()))
        // The ledger is ahead of the item's state: its session is among the live ones already.
        .filter(it -> it.reasons().stream().noneMatch(reason -> reason.reason() == Word.RUNS))
        .toList();
  }

  /**
   * A waiting item.
   *
   * @param lane its source, provider and profile
   */
  private record Waiting(String item, String lane) {}

  /** What waits, of each source the first ones. */
  private List<Waiting> waiting() {
    return sql.list(
        Waiting.class,
        "SELECT item, lane FROM (SELECT DISTINCT source AS one FROM request) JOIN waiting ON item"
            + " IN (SELECT item FROM waiting WHERE source = one ORDER BY turn LIMIT ?)",
        OF_A_SOURCE);
  }

  private static boolean holdsUp(Reason reason) {
    return switch (reason.reason()) {
      case AT_CAP -> !Scope.GLOBAL.equals(reason.scope());
      case PAUSED, PROVIDER, BUDGET, NO_PROFILE, REQUESTS_LOST, UNKNOWN_RULES -> true;
      default -> false;
    };
  }
}
