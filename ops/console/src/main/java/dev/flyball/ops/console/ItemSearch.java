package dev.flyball.ops.console;

import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.ops.console.projection.ItemText;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.sqlite.Database;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds items by their text, state, tenant and source. One thread at a time.
 *
 * <p>A rare text is looked up among the texts, and what is found is sorted. A common one is
 * compared with the rows in the order of the list, until there are enough. Neither reads every
 * item, unless a common text occurs only near the end of the list, or a text is too short for the
 * index and rare.
 */
final class ItemSearch {
  /** Up to this many rows that may contain a text are sorted. */
  private static final int RARE = 5_000;

  /** Up to this many rows are compared with a text for a count. */
  private static final int FEW = 20_000;

  private static final Comparator<ItemRow> ORDER =
      Comparator.<ItemRow>comparingInt(row -> ItemFilter.turn(row.state()))
          .thenComparingInt(ItemRow::priority)
          .thenComparing(ItemRow::key);

  private final Database sql;
  private final TenantScope scope;

  ItemSearch(Database sql, TenantScope scope) {
    this.sql = sql;
    this.scope = scope;
  }

  /** See {@link ConsoleView#items}. */
  List<ItemRow> page(ItemFilter filter) throws SQLException {
    Optional<String> rare = rare(filter);
    var rows = new ArrayList<ItemRow>();
    for (Range range : ranges(filter)) {
      Condition where = range.where(filter, rare.orElse(null));
      rows.addAll(
          sql.list(
              Rows.of(ItemRow.class),
              "SELECT item.* "
                  + where.from
                  + " ORDER BY item.turn, item.priority, item.key LIMIT "
                  + filter.limit(),
              where.values()));
    }
    rows.sort(ORDER);
    return List.copyOf(rows.subList(0, Math.min(rows.size(), filter.limit())));
  }

  /** See {@link ConsoleView#count}. */
  long count(ItemFilter filter) throws SQLException {
    int most = ItemFilter.COUNTED + 1;
    Optional<String> grams = ItemText.query(filter.parts());
    long count = 0;
    for (Range range : ranges(filter)) {
      boolean whole = filter.source() == null && filter.parts().isEmpty();
      long all = filter.source() == null ? counted(range.value, filter.state()) : Long.MAX_VALUE;
      if (whole) {
        count += all;
      } else {
        // The order is of no interest, so the texts are the better start unless the rows are few.
        Condition where = range.where(filter, all <= FEW ? null : grams.orElse(null));
        count +=
            sql.first(
                    row -> row.getLong(1),
                    "SELECT count(*) FROM (SELECT 1 " + where.from + " LIMIT " + most + ")",
                    where.values())
                .orElse(0L);
      }
    }
    return Math.min(count, most);
  }

  /** See {@link ConsoleView#keysOf}. */
  List<String> keysOf(String id) throws SQLException {
    Optional<String> end = ItemText.query(List.of(ItemText.endOfKey(id)));
    if (id.isEmpty() || end.isEmpty()) {
      return List.of();
    }
    return sql.list(
        row -> row.getString(1),
        "SELECT item.key FROM item_text JOIN item ON item.id = item_text.rowid WHERE item_text"
            + " MATCH ? AND substr(item.key, -length(?2) - 1) = '/' || ?2 ORDER BY item.key",
        end.get(),
        id);
  }

  /** How many items a tenant has in a state; null is any. */
  private long counted(@Nullable String tenant, @Nullable String state) throws SQLException {
    return sql.first(
            row -> row.getLong(1),
            "SELECT coalesce(sum(items), 0) FROM item_count WHERE (?1 IS NULL OR tenant = ?1) AND"
                + " (?2 IS NULL OR state = ?2)",
            tenant,
            state)
        .orElse(0L);
  }

  /** The query for the filter's text, if few rows have it; empty if the rows are better read. */
  private Optional<String> rare(ItemFilter filter) throws SQLException {
    Optional<String> query = ItemText.query(filter.parts());
    if (query.isEmpty()) {
      return query;
    }
    long found =
        sql.first(
                row -> row.getLong(1),
                "SELECT count(*) FROM (SELECT 1 FROM item_text WHERE item_text MATCH ? LIMIT ?)",
                query.get(),
                RARE + 1)
            .orElse(0L);
    return found > RARE ? Optional.empty() : query;
  }

  /**
   * The parts of an index in which matching items are: one for each tenant, so that the rows of
   * other tenants are not even read.
   */
  private List<Range> ranges(ItemFilter filter) throws SQLException {
    String source = filter.source();
    String tenant = filter.tenant();
    if (source != null && source.indexOf('/') < 0) {
      return tenants(tenant).stream()
          .filter(scope::covers)
          .map(each -> new Range("source", each + "/" + source))
          .toList();
    }
    if (source != null) {
      boolean seen = scope.coversKey(source) && (tenant == null || source.startsWith(tenant + "/"));
      return seen ? List.of(new Range("source", source)) : List.of();
    }
    if (tenant != null) {
      return scope.covers(tenant) ? List.of(new Range("tenant", tenant)) : List.of();
    }
    return scope.tenants() == null
        ? List.of(new Range("turn", null))
        : new TreeSet<>(scope.tenants()).stream().map(each -> new Range("tenant", each)).toList();
  }

  /** This tenant; for null every one that has items. */
  private List<String> tenants(@Nullable String tenant) throws SQLException {
    return tenant != null
        ? List.of(tenant)
        : sql.list(
            row -> row.getString(1), "SELECT DISTINCT tenant FROM item_count ORDER BY tenant");
  }

  /**
   * A range of the index of this column.
   *
   * @param column tenant, source or turn
   * @param value of a tenant or a source; null for all items
   */
  private record Range(String column, @Nullable String value) {
    /** The rows of a filter in this range; by {@code rare}, the query of its text, if not null. */
    Condition where(ItemFilter filter, @Nullable String rare) {
      // A view has no indexes to name; the ranges keep to the reader's tenants themselves.
      var where =
          new Condition(
              rare == null
                  ? "FROM main.item INDEXED BY item_by_" + column + " WHERE 1"
                  : "FROM item_text CROSS JOIN item ON item.id = item_text.rowid WHERE 1");
      if (rare != null) {
        where.and("item_text MATCH ?", rare);
      }
      if (value != null) {
        where.and("item." + column + " = ?", value);
      }
      if (filter.state() != null) {
        where.and("item.turn = ?", ItemFilter.turn(filter.state()));
      }
      if (filter.after() != null) {
        String[] place = filter.after().split("\\.", 3);
        where.and(
            "(item.turn, item.priority, item.key) > (?, ?, ?)",
            Integer.valueOf(place[0]),
            Integer.valueOf(place[1]),
            place[2]);
      }
      for (String part : filter.parts()) {
        where.and("instr(item.text, ?) > 0", part);
      }
      return where;
    }
  }

  /** A query's tables and condition, with its values in their order. */
  private static final class Condition {
    private final List<Object> values = new ArrayList<>();
    private String from;

    private Condition(String from) {
      this.from = from;
    }

    private void and(String condition, Object... of) {
      from += " AND " + condition;
      values.addAll(List.of(of));
    }

    private Object[] values() {
      return values.toArray();
    }
  }
}
