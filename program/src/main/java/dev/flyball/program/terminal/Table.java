package dev.flyball.program.terminal;

import dev.flyball.contract.json.RecordJson;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A table of text: aligned for a person and fitted into the width of the terminal, TSV (with a
 * header line) when piped, one JSON array with {@code --json}. Cells may contain untrusted text, so
 * they are escaped here.
 */
public sealed class Table permits Table.Rows {
  /** How a table is printed. */
  public enum Form {
    /** With a header line. */
    FULL,
    /** Without a header line. */
    ROWS,
    /** One JSON array on one line. */
    JSON
  }

  /** A person copies these from the screen, or they say nothing in part: they are never cut. */
  private static final Set<String> WHOLE =
      Set.of("item", "key", "source", "scope", "time", "started", "until");

  /** Sentences, each word of which may matter: they go on in further lines. */
  private static final Set<String> WRAPPED = Set.of("found", "fix");

  /** Places in files: the end, with the file's name and line, says more than the beginning. */
  private static final Set<String> PLACES = Set.of("where");

  /** Of these, the beginning is enough to name one. */
  private static final Set<String> IDS = Set.of("session", "poll");

  private static final int BEGINNING = 8;

  /** What needs a person, red where that is possible. */
  private static final Set<String> BAD = Set.of("dead", "failed", "unhealthy");

  private static final int GAP = 2;

  /** Text that has this width, or is shorter, is not cut. */
  private static final int SHORT = 12;

  /** For text of this width, optional columns are left out. */
  private static final int ROOM = 16;

  final List<String> columns;
  final Set<String> optional = new HashSet<>();
  final List<List<Object>> rows = new ArrayList<>();

  /** A table without rows yet; a column's name is its JSON property too. */
  public Table(String... columns) {
    this.columns = new ArrayList<>(List.of(columns));
  }

  /** A table with one row for each of these; its columns follow. */
  public static <T> Rows<T> of(Collection<T> subjects) {
    return new Rows<>(subjects);
  }

  /** What a row has in one column. */
  @FunctionalInterface
  public interface Cell<T> {
    /** The value; null and empty text mean that there is none. */
    @Nullable Object of(T subject);
  }

  /** A table whose columns are named one by one, each with what it has of a row's subject. */
  public static final class Rows<T> extends Table {
    private final List<T> subjects;

    private Rows(Collection<T> subjects) {
      this.subjects = List.copyOf(subjects);
      subjects.forEach(_ -> rows.add(new ArrayList<>()));
    }

    /** Adds a column. */
    public Rows<T> column(String name, Cell<T> cell) {
      columns.add(name);
      for (int i = 0; i < rows.size(); i++) {
        rows.get(i).add(Objects.requireNonNullElse(cell.of(subjects.get(i)), ""));
      }
      return this;
    }

    /** Adds a column that a terminal leaves out where it is narrow, or has nothing in it. */
    public Rows<T> wide(String name, Cell<T> cell) {
      optional.add(name);
      return column(name, cell);
    }
  }

  /** Adds a row; numbers stay numbers in JSON, null and empty text mean that there is no value. */
  public Table row(@Nullable Object... cells) {
    if (cells.length != columns.size()) {
      throw new IllegalArgumentException(cells.length + " cells for " + columns);
    }
    rows.add(Stream.of(cells).map(cell -> Objects.requireNonNullElse(cell, "")).toList());
    return this;
  }

  /** Prints it: as JSON, aligned on a terminal, otherwise as TSV. */
  public void print(Terminal terminal, Form form) {
    if (form == Form.JSON) {
      terminal.out().println(RecordJson.write(rows.stream().map(this::object).toList()));
    } else if (terminal.outIsTty()) {
      aligned(terminal, form);
    } else {
      if (form == Form.FULL) {
        terminal.out().println(String.join("\t", columns));
      }
      for (List<Object> row : rows) {
        List<String> cells = row.stream().map(it -> PlainText.line(it.toString())).toList();
        terminal.out().println(String.join("\t", cells));
      }
    }
  }

  private Map<String, Object> object(List<Object> row) {
    var object = new LinkedHashMap<String, Object>();
    for (int i = 0; i < row.size(); i++) {
      object.put(columns.get(i), row.get(i));
    }
    return object;
  }

  private void aligned(Terminal terminal, Form form) {
    if (rows.isEmpty()) {
      terminal.out().println("none");
      return;
    }
    List<List<String>> lines =
        rows.stream()
            .map(row -> IntStream.range(0, row.size()).mapToObj(i -> shown(row, i)).toList())
            .toList();
    int[] widths = fitted(lines, form, terminal.width());
    if (form == Form.FULL) {
      terminal.out().println(terminal.bold(padded(terminal, widths, columns)));
    }
    for (List<String> line : lines) {
      List<List<String>> cells =
          IntStream.range(0, widths.length)
              .mapToObj(i -> wrapped(line.get(i), widths[i], i))
              .toList();
      int most = cells.stream().mapToInt(List::size).max().orElse(0);
      for (int n = 0; n < most; n++) {
        int nth = n;
        List<String> part = cells.stream().map(it -> nth < it.size() ? it.get(nth) : "").toList();
        terminal.out().println(padded(terminal, widths, part));
      }
    }
  }

  /** A cell's lines: one, unless it is a sentence that is wider than its column. */
  private List<String> wrapped(String cell, int width, int column) {
    return WRAPPED.contains(columns.get(column)) && width > 0
        ? Pattern.compile("\\S.{0," + (width - 1) + "}(?=\\s|$)|\\S{1," + width + "}")
            .matcher(cell)
            .results()
            .map(MatchResult::group)
            .toList()
        : List.of(cell);
  }

  /** A cell as a person reads it. */
  private String shown(List<Object> row, int column) {
    Object cell = row.get(column);
    String text =
        PlainText.line(
            cell instanceof Instant time
                ? time.truncatedTo(ChronoUnit.SECONDS).toString()
                : cell.toString());
    return IDS.contains(columns.get(column)) && text.length() > BEGINNING
        ? text.substring(0, BEGINNING)
        : text;
  }

  /**
   * How wide each column is: 0 for one that is left out, less than its longest text for one that is
   * cut. What cannot be cut may still be wider than the terminal.
   */
  private int[] fitted(List<List<String>> lines, Form form, int room) {
    int[] widths = new int[columns.size()];
    for (int i = 0; i < widths.length; i++) {
      int column = i;
      int head = form == Form.FULL ? columns.get(i).length() : 0;
      int most = lines.stream().mapToInt(line -> length(line.get(column))).max().orElse(0);
      boolean absent = most == 0 && optional.contains(columns.get(i));
      widths[i] = absent ? 0 : Math.max(head, most);
    }
    for (int i = widths.length - 1; i >= 0 && excess(least(widths), room) > 0; i--) {
      widths[i] = optional.contains(columns.get(i)) ? 0 : widths[i];
    }
    for (int excess = excess(widths, room); excess > 0; excess = excess(widths, room)) {
      int widest = -1;
      for (int i = 0; i < widths.length; i++) {
        if (cuttable(widths, i) && (widest < 0 || widths[i] > widths[widest])) {
          widest = i;
        }
      }
      if (widest < 0) {
        break;
      }
      widths[widest]--;
    }
    return widths;
  }

  private boolean cuttable(int[] widths, int column) {
    return widths[column] > SHORT && !WHOLE.contains(columns.get(column));
  }

  /** The widths after all that can be cut was cut, but not by much. */
  private int[] least(int[] widths) {
    return IntStream.range(0, widths.length)
        .map(i -> cuttable(widths, i) ? Math.min(widths[i], ROOM) : widths[i])
        .toArray();
  }

  private static int excess(int[] widths, int most) {
    return IntStream.of(widths).filter(it -> it > 0).map(it -> it + GAP).sum() - GAP - most;
  }

  private static int length(String text) {
    return text.codePointCount(0, text.length());
  }

  private String padded(Terminal terminal, int[] widths, List<String> cells) {
    var line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      if (widths[i] > 0) {
        String whole = cells.get(i);
        boolean place = PLACES.contains(columns.get(i)) && whole.indexOf(' ') < 0;
        String cell = place ? PlainText.cutLeft(whole, widths[i]) : PlainText.cut(whole, widths[i]);
        String padding = " ".repeat(widths[i] - length(cell) + GAP);
        boolean bad = BAD.contains(cell) || cell.startsWith("hung ");
        line.append(bad ? terminal.red(cell) : cell).append(padding);
      }
    }
    return line.toString().stripTrailing();
  }
}
