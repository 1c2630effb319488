package dev.flyball.sqlite;

import dev.flyball.ops.telemetry.StartFailure;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteConfig;
import org.sqlite.SQLiteJDBCLoader;

/**
 * One SQLite file in WAL mode: one process writes it while others read. Instants are stored as text
 * in the order of time. One thread at a time.
 *
 * <p>Every method throws {@link StartFailure}, caused by a {@link DatabaseFailure}, if the file
 * cannot be used.
 */
public final class Database implements AutoCloseable {
  private static final int BUSY_MILLIS = 5_000;

  /** Rows that are sent in one batch. */
  private static final int BATCH = 500;

  /** Parsed statements that are kept; the one that was longest unused goes first. */
  private static final int MOST_IDLE = 64;

  /** Always nine digits, so that the order of the text is the order of time. */
  private static final DateTimeFormatter SORTABLE =
      new DateTimeFormatterBuilder().appendInstant(9).toFormatter(Locale.ROOT);

  /** Where the driver puts the copy of its library that it loads. */
  private static final String LIBRARY_FOLDER = "org.sqlite.tmpdir";

  /** Guarded by the class. */
  private static boolean libraryTried;

  private final Path file;
  private final String fix;
  private final String begin;
  private final Connection connection;

  /** Idle parsed statements; parsing one again often costs more than running it. */
  private final SequencedMap<String, PreparedStatement> idle = new LinkedHashMap<>();

  private Database(Path file, String fix, String begin, SQLiteConfig config) {
    this.file = file;
    this.fix = fix;
    this.begin = begin;
    config.setBusyTimeout(BUSY_MILLIS);
    loadLibrary(file.toAbsolutePath().getParent());
    try {
      this.connection = config.createConnection("jdbc:sqlite:" + file);
    } catch (SQLException e) {
      throw failure(e);
    }
  }

  /**
   * Opens the file for writing, creating or migrating it. A commit survives the end of the process;
   * a power cut may undo the newest ones, but leaves the file consistent.
   *
   * @param schema the class beside which the migrations lie: {@code 1.sql}, {@code 2.sql} ...
   * @param fix what a person does if the file cannot be used
   */
  public static Database open(Path file, Class<?> schema, String fix) {
    return opened(file, fix, database -> database.migrate(schema));
  }

  /**
   * Opens a file that can be made again from other sources, creating it by this schema. It is
   * unusable by its content if another schema made it.
   */
  public static Database open(Path file, String schema, String fix) {
    return opened(file, fix, database -> database.create(schema));
  }

  private static Database opened(Path file, String fix, Consumer<Database> preparation) {
    var config = new SQLiteConfig();
    config.setJournalMode(SQLiteConfig.JournalMode.WAL);
    config.setSynchronous(SQLiteConfig.SynchronousMode.NORMAL);
    Path folder = file.toAbsolutePath().getParent();
    try {
      Files.createDirectories(folder);
      // Immediate: a second process that migrates waits instead of failing halfway.
      var database = new Database(file, fix, "BEGIN IMMEDIATE", config);
      try {
        preparation.accept(database);
        return database;
      } catch (RuntimeException e) {
        database.close();
        throw e;
      }
    } catch (IOException e) {
      throw new StartFailure(
          folder + " cannot be created: " + e.getMessage() + "; choose another --data folder", e);
    }
  }

  /** Opens the file for reading only; empty if there is none. */
  public static Optional<Database> openForReading(Path file, String fix) {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    var config = new SQLiteConfig();
    config.setReadOnly(true);
    return Optional.of(new Database(file, fix, "BEGIN", config));
  }

  /**
   * Loads SQLite from a copy in this folder and deletes the copy: Linux keeps what is loaded. By
   * itself the driver keeps one in the system's folder for temporary files until the process ends,
   * and a process that is killed leaves it there. Does nothing after the first time.
   */
  private static synchronized void loadLibrary(@Nullable Path folder) {
    if (libraryTried || folder == null || !Files.isWritable(folder)) {
      return;
    }
    libraryTried = true;
    System.setProperty(LIBRARY_FOLDER, folder.toString());
    try {
      SQLiteJDBCLoader.initialize();
    } catch (Exception notFromThisFolder) {
      // It may be mounted without the right to execute: the driver tries the system's folder next.
    } finally {
      System.clearProperty(LIBRARY_FOLDER);
    }
    // Also those of a process that was killed before it came here.
    try (var copies = Files.newDirectoryStream(folder, "sqlite-*libsqlitejdbc.so*")) {
      for (Path copy : copies) {
        Files.deleteIfExists(copy);
      }
    } catch (IOException | DirectoryIteratorException mayBeDeletedLater) {
      // The next process over this folder tries again.
    }
  }

  /** Runs one statement; returns how many rows it changed. */
  public int update(String sql, @Nullable Object... values) {
    return prepared(sql, values, PreparedStatement::executeUpdate);
  }

  /** Runs one statement with the values of each row. */
  public void updateAll(String sql, Stream<@Nullable Object[]> rows) {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      int waiting = 0;
      for (var row : (Iterable<@Nullable Object[]>) rows::iterator) {
        bind(statement, row);
        statement.addBatch();
        if (++waiting % BATCH == 0) {
          statement.executeBatch();
        }
      }
      statement.executeBatch();
    } catch (SQLException e) {
      throw failure(e);
    }
  }

  /** All rows of a query. */
  public <T> List<T> list(Row<T> row, String sql, @Nullable Object... values) {
    return prepared(
        sql,
        values,
        statement -> {
          var all = new ArrayList<T>();
          try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
              all.add(row.of(rows));
            }
          }
          return all;
        });
  }

  /** The first row of a query; empty if there is none, or if its value is null. */
  public <T> Optional<T> first(Row<T> row, String sql, @Nullable Object... values) {
    List<T> rows = list(row, sql, values);
    return rows.isEmpty() ? Optional.empty() : Optional.ofNullable(rows.getFirst());
  }

  /** All rows as values of this type: a record by its components' names, or the first column. */
  public <T> List<T> list(Class<T> type, String sql, @Nullable Object... values) {
    return list(Rows.of(type), sql, values);
  }

  /** The first row of a query as a value of this type; empty as above. */
  public <T> Optional<T> first(Class<T> type, String sql, @Nullable Object... values) {
    return first(Rows.of(type), sql, values);
  }

  /** Runs work in one transaction: all of it counts, or nothing. */
  public <T> T transaction(Supplier<T> work) {
    update(begin);
    try {
      T result = work.get();
      update("COMMIT");
      return result;
    } catch (RuntimeException | Error e) {
      try {
        update("ROLLBACK");
      } catch (StartFailure again) {
        // SQLite has already rolled back after some errors, a full disk among them.
        e.addSuppressed(again);
      }
      throw e;
    }
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      throw failure(e);
    }
  }

  /** A column's instant. */
  public static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    String text = row.getString(column);
    return text == null ? null : Instant.parse(text);
  }

  /** Runs the scripts above the file's version, in one transaction with the version. */
  private void migrate(Class<?> schema) {
    var scripts = new ArrayList<String>();
    for (String script = script(schema, 1); script != null; ) {
      scripts.add(script);
      script = script(schema, scripts.size() + 1);
    }
    // A file that needs no migration opens while another program, a backup for example, writes it.
    if (version() == scripts.size()) {
      return;
    }
    transaction(() -> {
      int version = version();
      if (version > scripts.size()) {
        throw failure(DatabaseFailure.newer(file, version, scripts.size()));
      }
      if (version < scripts.size()) {
        run(String.join("\n", scripts.subList(version, scripts.size())), scripts.size());
      }
      return version;
    });
  }

  /** The {@code user_version} of files that this schema makes; that of a new file is 0. */
  public static int version(String schema) {
    return schema.hashCode() | 1;
  }

  private void create(String schema) {
    int wanted = version(schema);
    if (version() == wanted) {
      return;
    }
    transaction(() -> {
      int version = version();
      if (version != 0 && version != wanted) {
        throw failure(DatabaseFailure.otherSchema(file));
      }
      if (version == 0) {
        run(schema, wanted);
      }
      return version;
    });
  }

  private int version() {
    return first(row -> row.getInt(1), "PRAGMA user_version").orElseThrow();
  }

  /** Runs the statements of a script, after which the file has this version. */
  private void run(String script, int version) {
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate(script);
      statement.executeUpdate("PRAGMA user_version = " + version);
    } catch (SQLException e) {
      throw failure(e);
    }
  }

  private static @Nullable String script(Class<?> schema, int version) {
    try (InputStream in = schema.getResourceAsStream(version + ".sql")) {
      return in == null ? null : new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException("resource " + version + ".sql cannot be read", e);
    }
  }

  private <T> T prepared(String sql, @Nullable Object[] values, Use<T> use) {
    try {
      return use(sql, values, use);
    } catch (SQLException e) {
      throw failure(e);
    }
  }

  /** Uses a statement with these values. After a failure it is closed: it may be half done. */
  private <T> T use(String sql, @Nullable Object[] values, Use<T> use) throws SQLException {
    PreparedStatement kept = idle.remove(sql);
    try {
      PreparedStatement statement = kept == null ? connection.prepareStatement(sql) : kept;
      kept = statement;
      bind(statement, values);
      T result = use.of(statement);
      statement.clearParameters();
      keep(sql, statement);
      kept = null;
      return result;
    } finally {
      if (kept != null) {
        kept.close();
      }
    }
  }

  private void keep(String sql, PreparedStatement statement) throws SQLException {
    PreparedStatement same = idle.putLast(sql, statement);
    if (same != null) {
      same.close();
    }
    if (idle.size() > MOST_IDLE) {
      idle.pollFirstEntry().getValue().close();
    }
  }

  private StartFailure failure(SQLException e) {
    return failure(DatabaseFailure.of(file, e, fix));
  }

  private static StartFailure failure(DatabaseFailure of) {
    return new StartFailure(String.valueOf(of.getMessage()), of);
  }

  private static void bind(PreparedStatement statement, @Nullable Object... values)
      throws SQLException {
    for (int i = 0; i < values.length; i++) {
      Object value = values[i];
      statement.setObject(
          i + 1, value instanceof Instant instant ? SORTABLE.format(instant) : value);
    }
  }

  /** Turns one row into a value. */
  public interface Row<T> {
    /** The row as a value. */
    T of(ResultSet row) throws SQLException;
  }

  /** What is done with a statement. */
  private interface Use<T> {
    T of(PreparedStatement statement) throws SQLException;
  }
}
