package dev.flyball.ops.console;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.ops.console.access.TenantScope;
import dev.flyball.ops.console.projection.ProjectionFile;
import dev.flyball.ops.console.view.BrokenInvariant;
import dev.flyball.ops.console.view.Summary;
import dev.flyball.sqlite.Database;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads the overall figures, from tables that are small however many items there are. */
final class SummaryQuery {
  private static final String SEEN =
      " WHERE (?1 IS NULL OR tenant IN (SELECT value FROM json_each(?1)))";

  private final Database sql;
  private final TenantScope scope;

  /** The tenants of the scope as a JSON array; null for all. */
  private final @Nullable String tenants;

  SummaryQuery(Database sql, TenantScope scope) {
    this.sql = sql;
    this.scope = scope;
    this.tenants = scope.tenants() == null ? null : RecordJson.write(scope.tenants());
  }

  /** See {@link ConsoleView#summary}. */
  Summary read() throws SQLException {
    Map<String, Long> counters =
        counted("SELECT name, sum(value) FROM counter" + SEEN + " GROUP BY name");
    var ended = new TreeMap<String, Long>();
    counters.forEach((name, value) -> {
      if (name.startsWith("ended:")) {
        ended.put(name.substring("ended:".length()), value);
      }
    });
    return new Summary(
        (int) number("SELECT count(*) FROM lease"),
        ProjectionFile.meta(sql, "cap").map(Integer::valueOf).orElse(0),
        counted(
            "SELECT state, sum(items) FROM item_count"
                + SEEN
                + " GROUP BY state HAVING sum(items) > 0"),
        number("SELECT coalesce(sum(waiting), 0) FROM item_count"),
        oldest().orElse(null),
        ended,
        counters.getOrDefault("cost", 0L),
        counters.getOrDefault("dead-letters", 0L),
        pauses(),
        sql.list(SummaryQuery::runnerOf, "SELECT * FROM runner ORDER BY id"),
        scope.tenants() == null
            ? ProjectionFile.broken(sql).stream().map(BrokenInvariant::line).toList()
            : List.of(),
        ProjectionFile.meta(sql, "as-of").map(Instant::parse).orElse(null));
  }

  /** Since when the oldest item waits: one look at an index for each tenant. */
  private Optional<Instant> oldest() throws SQLException {
    if (scope.tenants() == null) {
      return ProjectionFile.oldest(sql);
    }
    Instant oldest = null;
    for (String tenant : scope.tenants()) {
      Optional<Instant> first =
          sql.first(
              row -> Instant.parse(row.getString(1)),
              "SELECT waiting_since FROM item WHERE tenant = ? AND waiting_since IS NOT NULL ORDER"
                  + " BY waiting_since LIMIT 1",
              tenant);
      if (first.isPresent() && (oldest == null || first.get().isBefore(oldest))) {
        oldest = first.get();
      }
    }
    return Optional.ofNullable(oldest);
  }

  private List<String> pauses() throws SQLException {
    return sql
        .list(
            row -> Map.entry(row.getString("scope"), row.getString("line")),
            "SELECT * FROM pause ORDER BY scope")
        .stream()
        .filter(pause -> scope.coversScope(pause.getKey()))
        .map(Map.Entry::getValue)
        .toList();
  }

  private long number(String query) throws SQLException {
    return sql.first(row -> row.getLong(1), query + SEEN, tenants).orElse(0L);
  }

  private Map<String, Long> counted(String query) throws SQLException {
    var counts = new TreeMap<String, Long>();
    sql.list(row -> Map.entry(row.getString(1), row.getLong(2)), query, tenants)
        .forEach(count -> counts.put(count.getKey(), count.getValue()));
    return counts;
  }

  private static Summary.Runner runnerOf(ResultSet row) throws SQLException {
    return new Summary.Runner(
        row.getString("id"),
        row.getString("level"),
        row.getInt("slots"),
        row.getString("refusing"));
  }
}
