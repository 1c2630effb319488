package dev.flyball.ops.console.projection;

import dev.flyball.sqlite.Database;
import java.sql.SQLException;
import java.util.Map;
import java.util.TreeMap;

/**
 * The projection's counters; they are kept where rows are pruned. Used by the projection's thread.
 */
final class Counters {
  private final Database sql;

  Counters(Database sql) {
    this.sql = sql;
  }

  /** Adds to a counter. */
  void count(String name, long amount) throws SQLException {
    sql.update(
        "INSERT INTO counter (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value ="
            + " value + ?2",
        name,
        amount);
  }

  /**
   * Adds what one analysis has cost on average until now: all spend by the completed sessions. It
   * is the estimate of what was saved where no session started.
   *
   * @param name the counter, in micro-dollars
   */
  void countAverageCost(String name) throws SQLException {
    sql.update(
        "INSERT INTO counter (name, value) SELECT ?1, cost.value / ended.value FROM counter cost,"
            + " counter ended WHERE cost.name = 'cost' AND ended.name = 'ended:completed'"
            + " ON CONFLICT (name) DO UPDATE SET value = value + excluded.value",
        name);
  }

  /** Every counter by its name. */
  Map<String, Long> all() throws SQLException {
    var all = new TreeMap<String, Long>();
    sql.list(row -> Map.entry(row.getString(1), row.getLong(2)), "SELECT name, value FROM counter")
        .forEach(counter -> all.put(counter.getKey(), counter.getValue()));
    return all;
  }
}
