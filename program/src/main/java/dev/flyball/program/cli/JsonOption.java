package dev.flyball.program.cli;

import dev.flyball.contract.json.RecordJson;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Terminal;
import picocli.CommandLine.Option;

/** The option {@code --json}. */
sealed class JsonOption permits TableOptions {
  private final Terminal terminal;

  @Option(names = "--json", description = "Print JSON, one line")
  boolean json;

  JsonOption(Terminal terminal) {
    this.terminal = terminal;
  }

  final Terminal terminal() {
    return terminal;
  }

  /** Prints one line of JSON. */
  final Exit object(Object value) {
    terminal.out().println(RecordJson.write(value));
    return Exit.DONE;
  }
}
