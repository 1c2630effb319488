package dev.flyball.program.terminal;

import java.io.IOException;

/** The browser of the person at the terminal. */
public final class Browser {
  private Browser() {}

  /** Shows a page, where there is a display and a browser that it knows. */
  public static void open(Terminal terminal, String page) {
    if (!terminal.environment().containsKey("DISPLAY")
        && !terminal.environment().containsKey("WAYLAND_DISPLAY")) {
      return;
    }
    try {
      new ProcessBuilder("xdg-open", page)
          .redirectOutput(ProcessBuilder.Redirect.DISCARD)
          .redirectError(ProcessBuilder.Redirect.DISCARD)
          .start();
    } catch (IOException e) {
      terminal.note("no browser was opened: there is no xdg-open");
    }
  }
}
