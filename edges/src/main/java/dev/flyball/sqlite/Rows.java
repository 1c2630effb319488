package dev.flyball.sqlite;

import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Turns rows into records: a component {@code startedAt} is the column {@code started_at}, and one
 * of a record in a component {@code last} the column {@code last_started_at}. A query names its
 * columns as the record does, so no second list of them is written by hand. Any other type is that
 * of the first column.
 */
final class Rows {
  private Rows() {}

  /** What one component of a record is made of. */
  private interface Part {
    @Nullable Object of(ResultSet row) throws SQLException;
  }

  /** The rows of a query as values of this type. */
  // A single value may be null: only where a query gives one, its caller asks for the first row.
  @SuppressWarnings({"unchecked", "NullAway"})
  static <T> Database.Row<T> of(Class<T> type) {
    return type.isRecord() ? of(type, "") : row -> (T) value(row, 1, type);
  }

  private static <T> Database.Row<T> of(Class<T> type, String prefix) {
    RecordComponent[] components = type.getRecordComponents();
    Class<?>[] types =
        Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    var parts = new ArrayList<Part>();
    for (RecordComponent each : components) {
      String column = prefix + column(each.getName());
      Class<?> part = each.getType();
      parts.add(
          part.isRecord()
              ? of(part, column + "_")::of
              : row -> value(row, row.findColumn(column), part));
    }
    try {
      Constructor<T> constructor = type.getDeclaredConstructor(types);
      constructor.setAccessible(true);
      return row -> {
        var values = new @Nullable Object[types.length];
        for (int i = 0; i < types.length; i++) {
          values[i] = parts.get(i).of(row);
        }
        try {
          return constructor.newInstance(values);
        } catch (ReflectiveOperationException e) {
          throw new IllegalStateException(type.getSimpleName() + " cannot be made of a row", e);
        }
      };
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException(type + " has no constructor of its components", e);
    }
  }

  private static @Nullable Object value(ResultSet row, int column, Class<?> type)
      throws SQLException {
    return switch (type.getSimpleName()) {
      case "String" -> row.getString(column);
      case "int", "Integer" -> row.getInt(column);
      case "long" -> row.getLong(column);
      case "boolean", "Boolean" -> row.getInt(column) == 1;
      case "Long" -> row.getObject(column) == null ? null : row.getLong(column);
      case "Instant" -> row.getObject(column) == null ? null : Instant.parse(row.getString(column));
      default -> throw new IllegalStateException("no column has the type " + type);
    };
  }

  private static String column(String component) {
    return component.replaceAll("(?=[A-Z])", "_").toLowerCase(Locale.ROOT);
  }
}
