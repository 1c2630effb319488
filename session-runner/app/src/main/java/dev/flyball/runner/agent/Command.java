package dev.flyball.runner.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.runner.agent.Agent.Trait;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Any program of the operator. Its working directory is the repository; it reads the prompt on
 * standard input and answers on standard output.
 *
 * @param program path of the program, or a name on PATH
 */
public record Command(String program) implements AgentProgram {
  public Command {
    if (program.isBlank()) {
      throw new IllegalArgumentException(
          "sessions.agent 'command:' names no program; write command:/path/to/program");
    }
  }

  @Override
  public Facts facts() {
    return new Facts("command:" + program, program, null, null, null, null);
  }

  @Override
  public Agent session(Setup setup) {
    return new Agent(
        "command",
        List.of(program),
        Agent.Variables.NONE,
        setup.prompt(),
        _ -> new Reader(),
        Set.of(Trait.IDENTIFIED_AT_SPAWN),
        null,
        null);
  }

  /**
   * Reads any program: stream-json from its first object of that kind on, whatever a wrapper
   * printed before, else text. In text the last line that is an answer counts, else all of it.
   */
  static final class Reader implements Agent.Reader {
    /** What stream-json begins with; a program's other lines may be objects too. */
    private static final Set<String> BEGINNINGS = Set.of("system", "assistant", "result");

    /** Characters of text after which it is text: no wrapper prints so much before its program. */
    private static final int MOST_BEFORE = 16 * 1024;

    private static final String BYTE_ORDER_MARK = "\uFEFF";

    private final Claude.Reader stream = new Claude.Reader();
    private final Transcript text = Transcript.ofAnyProgram();
    private AgentAnswer.@Nullable Complete answer;
    private long before;
    private boolean json;

    @Override
    public List<AgentSignal> line(String line) {
      if (!json && JsonLinesReader.object(line).filter(this::begins).isPresent()) {
        json = true;
      }
      if (json) {
        return stream.line(line);
      }
      String said = before == 0 && line.startsWith(BYTE_ORDER_MARK) ? line.substring(1) : line;
      before += said.strip().length();
      AgentAnswer.Complete.line(said, null).ifPresent(found -> answer = found);
      text.heard(said);
      text.append(said + "\n");
      return List.of();
    }

    /** Whether this object begins a stream: the first thing printed, or what every stream has. */
    private boolean begins(JsonNode object) {
      return before == 0
          || (before <= MOST_BEFORE && BEGINNINGS.contains(JsonLinesReader.type(object)));
    }

    @Override
    public AgentAnswer end(Exit exit, String stderrTail) {
      if (json) {
        return stream.end(exit, stderrTail);
      }
      if (text.partial().isBlank()) {
        text.blames(Fault.ofProgram(exit.code(), exit.signal(), stderrTail));
      }
      if (exit.signalled()) {
        return text.killed(exit, stderrTail);
      }
      if (exit.code() != 0) {
        return text.broken(Transcript.EXIT, "exit " + exit.code(), stderrTail);
      }
      return text.partial().isBlank()
          ? text.broken(Transcript.NO_OUTPUT, "no output", stderrTail)
          : answer == null ? AgentAnswer.Complete.of(text.partial(), null) : answer;
    }

    @Override
    public AgentAnswer soFar() {
      return json ? stream.soFar() : text.unanswered();
    }

    /** A program that prints text never reports what it used. */
    @Override
    public Agent.Reported reported() {
      return json ? stream.reported() : Agent.Reported.IN_PART;
    }
  }
}
