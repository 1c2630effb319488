package dev.flyball.program.cli;

import java.util.Locale;
import java.util.Optional;

/** The operating systems on which this program works. Pure. */
final class Platform {
  private Platform() {}

  /** Why nothing can run on this operating system, with the fix; empty if it can. */
  static Optional<String> refusal(String osName) {
    return osName.toLowerCase(Locale.ROOT).startsWith("windows")
        ? Optional.of(
            "Windows is not supported: nothing here could hold an agent's process tree; use WSL 2,"
                + " a Linux container or a Linux machine")
        : Optional.empty();
  }
}
