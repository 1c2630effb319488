package dev.flyball.program.cli;

import dev.flyball.program.roles.ServiceRun;
import dev.flyball.program.terminal.Exit;
import dev.flyball.program.terminal.Terminal;

/**
 * Turns a service's end into an exit code: TERM is the usual way to stop one, a fault is unhealthy.
 */
final class Ended {
  private Ended() {}

  static int code(Terminal terminal, ServiceRun.End end) {
    return switch (end) {
      case ServiceRun.End.Signal signal -> {
        terminal.say("flyball: stopped");
        yield signal.name().equals("INT") ? Exit.INTERRUPTED.code() : Exit.DONE.code();
      }
      // Reported when it happened.
      case ServiceRun.End.Fault _ -> Exit.UNHEALTHY.code();
    };
  }
}
