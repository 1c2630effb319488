package dev.flyball.program.terminal;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.json.RecordJson;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A table of text: aligned for a person, TSV (with a header line) when piped, one JSON array with
 * {@code --json}. Cells may contain untrusted text, so they are escaped here.
 */
public final class Table {
  /** How a table is printed. */
  public enum Form {
    /** With a header line. */
    FULL,
    /** Without a header line. */
    ROWS,
    /** One JSON array on one line. */
    JSON
  }

  private final List<String> columns;
  private final List<List<Object>> rows = new ArrayList<>();

  /** A table without rows yet; a column's name is its JSON property too. */
  public Table(String... columns) {
    this.columns = List.of(columns);
  }

  /** Adds a row; numbers stay numbers in JSON, null and empty text mean that there is no value. */
  public Table row(@Nullable Object... cells) {
    if (cells.length != columns.size()) {
      throw new IllegalArgumentException(cells.length + " cells for " + columns);
    }
    var row = new ArrayList<Object>();
    for (Object cell : cells) {
      row.add(cell == null ? "" : cell);
    }
    rows.add(row);
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
      rows.forEach(row -> terminal.out().println(String.join("\t", text(row))));
    }
  }

  private void aligned(Terminal terminal, Form form) {
    int[] widths = new int[columns.size()];
    if (form == Form.FULL) {
      measure(widths, columns);
    }
    rows.forEach(row -> measure(widths, text(row)));
    if (form == Form.FULL) {
      String head = padded(widths, columns);
      terminal.out().println(terminal.decorated() ? "\033[1m" + head + "\033[0m" : head);
    }
    rows.forEach(row -> terminal.out().println(padded(widths, text(row))));
  }

  private ObjectNode object(List<Object> row) {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    for (int i = 0; i < row.size(); i++) {
      object.set(columns.get(i), RecordJson.tree(row.get(i)));
    }
    return object;
  }

  private static List<String> text(List<Object> row) {
    return row.stream().map(cell -> PlainText.line(cell.toString())).toList();
  }

  private static void measure(int[] widths, List<String> cells) {
    for (int i = 0; i < widths.length; i++) {
      String cell = cells.get(i);
      widths[i] = Math.max(widths[i], cell.codePointCount(0, cell.length()));
    }
  }

  private static String padded(int[] widths, List<String> cells) {
    var line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String cell = cells.get(i);
      line.append(cell);
      if (i < widths.length - 1) {
        line.append(" ".repeat(widths[i] - cell.codePointCount(0, cell.length()) + 2));
      }
    }
    return line.toString().stripTrailing();
  }
}
