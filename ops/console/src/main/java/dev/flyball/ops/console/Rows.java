package dev.flyball.ops.console;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.sqlite.Database;
import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Turns rows into records: a component {@code startedAt} is the column {@code started_at}. A query
 * names its columns as the record does, so no second list of them is written by hand.
 */
final class Rows {
  private Rows() {}

  /** The rows of a query as records of this type. */
  static <T extends Record> Database.Row<T> of(Class<T> type) {
    RecordComponent[] components = type.getRecordComponents();
    Class<?>[] types =
        Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new);
    String[] columns =
        Arrays.stream(components).map(each -> column(each.getName())).toArray(String[]::new);
    try {
      Constructor<T> constructor = type.getDeclaredConstructor(types);
      constructor.setAccessible(true);
      return row -> {
        var values = new @Nullable Object[columns.length];
        for (int i = 0; i < columns.length; i++) {
          values[i] = value(row, columns[i], types[i]);
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

  private static @Nullable Object value(ResultSet row, String column, Class<?> type)
      throws SQLException {
    return switch (type.getSimpleName()) {
      case "String" -> row.getString(column);
      case "int" -> row.getInt(column);
      case "long" -> row.getLong(column);
      case "boolean" -> row.getInt(column) == 1;
      case "Long" -> Database.number(row, column);
      case "Instant" -> Database.instant(row, column);
      case "JsonNode" -> RecordJson.parse(row.getString(column));
      default -> throw new IllegalStateException("no column has the type " + type);
    };
  }

  private static String column(String component) {
    return component.replaceAll("(?=[A-Z])", "_").toLowerCase(Locale.ROOT);
  }
}
