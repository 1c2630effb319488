package dev.flyball.ops.console.projection;

import dev.flyball.sqlite.Database;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.common.TopicPartition;

/**
 * How far each partition was read, and of which cluster and topics: offsets of another topic have
 * no meaning. Used by the projection's thread.
 */
final class ReadPositions {
  private static final String ID = "id:";

  private final Database sql;

  ReadPositions(Database sql) {
    this.sql = sql;
  }

  /** The offset at which to continue; empty if nothing was read yet. */
  OptionalLong next(TopicPartition partition) throws SQLException {
    return sql
        .list(
            row -> row.getLong(1),
            "SELECT next FROM position WHERE topic = ? AND partition = ?",
            partition.topic(),
            partition.partition())
        .stream()
        .mapToLong(Long::longValue)
        .findFirst();
  }

  /** Stores the offset at which to continue. */
  void put(TopicPartition partition, long next) throws SQLException {
    sql.update(
        "INSERT OR REPLACE INTO position (topic, partition, next) VALUES (?, ?, ?)",
        partition.topic(),
        partition.partition(),
        next);
  }

  /**
   * Whether rows were made from others than these.
   *
   * @param ids cluster and topic ids by name
   */
  boolean ofOthers(Map<String, String> ids) throws SQLException {
    for (var id : ids.entrySet()) {
      String known = ProjectionFile.meta(sql, ID + id.getKey()).orElse(id.getValue());
      if (!known.equals(id.getValue())) {
        return true;
      }
    }
    return false;
  }

  /** A partition that ends before what was read from it: it was truncated. */
  Optional<TopicPartition> beyond(Map<TopicPartition, Long> ends) throws SQLException {
    for (var end : ends.entrySet()) {
      if (next(end.getKey()).orElse(0) > end.getValue()) {
        return Optional.of(end.getKey());
      }
    }
    return Optional.empty();
  }

  /** Stores new ids. Known ones are not written again: a full disk allows reading. */
  void keep(Map<String, String> ids) throws SQLException {
    for (var id : ids.entrySet()) {
      if (ProjectionFile.meta(sql, ID + id.getKey()).isEmpty()) {
        ProjectionFile.putMeta(sql, ID + id.getKey(), id.getValue());
      }
    }
  }
}
