package dev.flyball.ops.console.projection;

import dev.flyball.sqlite.Database;
import java.sql.SQLException;

/**
 * The projection's counters, one for each tenant and name; they are kept where rows are pruned.
 * Used by the projection's thread.
 */
final class Counters {
  private final Database sql;

  Counters(Database sql) {
    this.sql = sql;
  }

  /** Adds to a tenant's counter; the tenant is empty for what belongs to none. */
  void count(String tenant, String name, long amount) throws SQLException {
    sql.update(
        "INSERT INTO counter (tenant, name, value) VALUES (?1, ?2, ?3) ON CONFLICT (tenant, name)"
            + " DO UPDATE SET value = value + ?3",
        tenant,
        name,
        amount);
  }

  /**
   * What one analysis has cost on average until now: all spend by the completed sessions, over all
   * tenants; 0 before the first. It is the estimate of what was saved where no session started.
   */
  long averageCost() throws SQLException {
    return sql.first(
            row -> row.getLong(1),
            "SELECT cost / ended FROM (SELECT (SELECT sum(value) FROM counter WHERE name = 'cost')"
                + " AS cost, (SELECT sum(value) FROM counter WHERE name = 'ended:completed') AS"
                + " ended) WHERE cost IS NOT NULL AND ended > 0")
        .orElse(0L);
  }
}
