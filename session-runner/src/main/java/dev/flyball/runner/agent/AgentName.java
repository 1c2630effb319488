package dev.flyball.runner.agent;

/** Which agent runs, as configured: {@code scout} or {@code command:/path/to/program}. */
public sealed interface AgentName {

  /** The bundled agent that needs no model. */
  record Scout() implements AgentName {
    @Override
    public String toString() {
      return "scout";
    }
  }

  /**
   * Any program; it reads the prompt on standard input and answers on standard output.
   *
   * @param program path of the program, or a name on PATH
   */
  record Command(String program) implements AgentName {
    public Command {
      if (program.isBlank()) {
        throw new IllegalArgumentException(
            "sessions.agent 'command:' names no program; write command:/path/to/program");
      }
    }

    @Override
    public String toString() {
      return "command:" + program;
    }
  }

  /**
   * Reads a configured name.
   *
   * @throws IllegalArgumentException if there is no such adapter; the message says which there are
   */
  static AgentName parse(String text) {
    if (text.equals("scout")) {
      return new Scout();
    }
    if (text.startsWith("command:")) {
      return new Command(text.substring("command:".length()));
    }
    throw new IllegalArgumentException(
        "sessions.agent '" + text + "' is unknown; use scout or command:/path/to/program");
  }
}
