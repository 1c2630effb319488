package dev.flyball.ops.console;

import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.text.Sha256;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.ops.console.operate.OperatorActions;
import dev.flyball.ops.console.view.ItemFilter;
import dev.flyball.ops.console.view.ItemRow;
import dev.flyball.sqlite.Database;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds items by their text, state, tenant and source. A list in its order follows an index; a text
 * is compared with every item, which takes half a second for a million of them. One thread at a
 * time.
 */
final class ItemSearch {
  private final Database sql;
  private final TenantScope scope;

  ItemSearch(Database sql, TenantScope scope) {
    this.sql = sql;
    this.scope = scope;
  }

  /** The matches after the filter's place, as many as it wants. */
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
        Rows.of(ItemRow.class),
        "SELECT * " + matching.from + " ORDER BY turn, priority, key LIMIT " + filter.limit(),
        matching.values.toArray());
  }

  /** How many items match, wherever the filter's page begins; at most one more than is counted. */
  long count(ItemFilter filter) {
    int most = ItemFilter.COUNTED + 1;
    if (filter.source() == null && filter.parts().isEmpty()) {
      return Math.min(most, counted(filter.tenant(), filter.state()));
    }
    var matching = new Matching(filter, scope);
    return sql.first(
            row -> row.getLong(1),
            "SELECT count(*) FROM (SELECT 1 " + matching.from + " LIMIT " + most + ")",
            matching.values.toArray())
        .orElse(0L);
  }

  private long counted(@Nullable String tenant, @Nullable String state) {
    return sql.first(
            row -> row.getLong(1),
            "SELECT coalesce(sum(items), 0) FROM item_count WHERE (?1 IS NULL OR tenant = ?1) AND"
                + " (?2 IS NULL OR state = ?2)",
            tenant,
            state)
        .orElse(0L);
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

  /**
   * The items that one action on all matches changes. A count alone does not confirm them: between
   * the question and the answer one item may leave and another one join.
   */
  record ItemSelection(List<ItemKey> keys) {
    /** Bytes of the digest. */
    private static final int BYTES = 16;

    ItemSelection {
      keys = List.copyOf(keys);
    }

    /**
     * All that match, whatever the filter's place and limit; at most as many as one action takes.
     */
    static ItemSelection of(ConsoleView view, ItemFilter filter) {
      return new ItemSelection(
          view.items(filter.page(null, OperatorActions.MOST)).stream()
              .map(ItemRow::key)
              .map(ItemKey::parse)
              .toList());
    }

    int count() {
      return keys.size();
    }

    /** The same for the same items, whatever their order; 32 hexadecimal digits. */
    String digest() {
      return Sha256.hex(
          keys.stream().map(ItemKey::toString).sorted().collect(Collectors.joining("\n")), BYTES);
    }
  }
}
