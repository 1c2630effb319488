package dev.flyball.program.story;

import dev.flyball.program.launch.Program;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Locale;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * What a runner holds of the machine at one moment.
 *
 * @param sessions that it has run
 * @param zombies children of it that ended and were not reaped
 * @param files below its data folder and its folder for temporary files
 * @param temporary of these, the ones that belong to one session: prompts, deadlines, orders
 */
record Holdings(
    int sessions,
    long residentKb,
    long descriptors,
    long threads,
    long zombies,
    long children,
    long files,
    long temporary,
    long journalKb,
    long journalRows) {

  /** Reads them now. */
  static Holdings of(int sessions, Program runner, Path data, Path temporary) {
    Path proc = Path.of("/proc/" + runner.pid());
    return new Holdings(
        sessions,
        field(proc, "VmRSS"),
        list(proc.resolve("fd")),
        field(proc, "Threads"),
        children(runner.pid(), 'Z'),
        children(runner.pid(), '\0'),
        files(data) + files(temporary),
        ofSessions(data.resolve("run")),
        (size(data.resolve("journal.db")) + size(data.resolve("journal.db-wal"))) / 1024,
        rows(data.resolve("journal.db")));
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "after %d sessions: resident %.1f MB, %d descriptors, %d threads, %d children, %d zombies,"
            + " %d files, %d of them of sessions, journal %d KB, %d rows",
        sessions,
        residentKb / 1024.0,
        descriptors,
        threads,
        children,
        zombies,
        files,
        temporary,
        journalKb,
        journalRows);
  }

  private static long field(Path proc, String name) {
    return text(proc.resolve("status"))
        .lines()
        .filter(line -> line.startsWith(name + ":"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D+", "")))
        .findFirst()
        .orElseThrow();
  }

  /** Children in this state, all of them for none. */
  private static long children(long parent, char state) {
    long found = 0;
    try (var all = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path each : all) {
        String stat = text(each.resolve("stat"));
        String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ", 3);
        if (fields.length == 3
            && fields[1].equals(Long.toString(parent))
            && (state == '\0' || fields[0].charAt(0) == state)) {
          found++;
        }
      }
      return found;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long list(Path folder) {
    return count(folder, "*");
  }

  private static long count(Path folder, String names) {
    try (var all = Files.newDirectoryStream(folder, names)) {
      return StreamSupport.stream(all.spliterator(), false).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long files(Path folder) {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(Files::isRegularFile).count();
    } catch (IOException | UncheckedIOException e) {
      // A file that went away while it was looked at.
      return Long.MAX_VALUE;
    }
  }

  /** All but the compiled warden, one for all sessions. */
  private static long ofSessions(Path run) {
    return files(run) - count(run, "warden-*");
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (NoSuchFileException e) {
      return 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long rows(Path journal) {
    try (var connection = DriverManager.getConnection("jdbc:sqlite:file:" + journal + "?mode=ro");
        var statement = connection.createStatement();
        var rows = statement.executeQuery("SELECT count(*) FROM session")) {
      return rows.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Empty if it is gone. */
  private static String text(Path file) {
    try {
      return Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return "";
    }
  }
}
