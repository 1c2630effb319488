package dev.flyball.program.cli;

import dev.flyball.ops.console.output.OutputLine;
import dev.flyball.ops.console.output.OutputPart;
import dev.flyball.ops.telemetry.StartFailure;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Terminal;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Prints a session's output that a console on another machine reads, part by part, so that an
 * output of any length fits into bounded answers.
 */
record RemoteLog(RemoteReader console, Terminal terminal, Consumer<OutputLine> printer) {
  /**
   * Prints what is kept, then what comes.
   *
   * @param name the beginning of a session's id, or an item for its newest session
   * @param follow whether to go on until the session ends
   */
  Exit print(String name, boolean follow) {
    OutputPart part = first(name);
    SessionViews.named(terminal, name, part.session(), part.item());
    long printed = 0;
    boolean last = false;
    while (true) {
      part.lines().forEach(printer);
      printed += part.lines().size();
      if (!part.more() && (!follow || last)) {
        break;
      }
      // Lines may arrive after the lease has ended: one further part is asked for.
      last = !part.live();
      part = next(part, follow);
    }
    if (printed == 0) {
      terminal.note(SessionViews.noOutput(part.session()));
    }
    return Exit.DONE;
  }

  private OutputPart first(String name) {
    String key = Lookup.key(console::keysOf, name);
    if (console.item(key).isPresent()) {
      return console.output(Map.of("item", key)).orElseThrow(() -> Lookup.noSession(key));
    }
    return console
        .output(Map.of("session", name))
        .orElseThrow(() -> Lookup.noSession(name, "at the console"));
  }

  private OutputPart next(OutputPart part, boolean wait) {
    Map<String, String> from = Map.of("session", part.session(), "after", part.next());
    return console
        .output(wait ? Map.of("session", part.session(), "after", part.next(), "wait", "1") : from)
        .orElseThrow(
            () -> new StartFailure("the console no longer keeps session " + part.session()));
  }
}
