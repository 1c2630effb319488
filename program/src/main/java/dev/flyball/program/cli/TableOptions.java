package dev.flyball.program.cli;

import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Table;
import dev.flyball.program.terminal.Terminal;
import picocli.CommandLine.Option;

/** Options of the commands that print a table. */
final class TableOptions extends JsonOption {
  @Option(names = "--no-headers", description = "Omit the header line of the table")
  boolean noHeaders;

  TableOptions(Terminal terminal) {
    super(terminal);
  }

  Table.Form form() {
    return json ? Table.Form.JSON : noHeaders ? Table.Form.ROWS : Table.Form.FULL;
  }

  /** Prints a table in the chosen form. */
  Exit print(Table table) {
    table.print(terminal(), form());
    return Exit.DONE;
  }
}
