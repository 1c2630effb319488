package dev.flyball.runner.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.runner.agent.Agent.Trait;
import java.nio.file.Path;
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
  /** What its configured name begins with. */
  public static final String PREFIX = "command:";

  public Command {
    if (program.isBlank()) {
      throw new IllegalArgumentException(
          "sessions.agent 'command:' names no program; write command:/path/to/program");
    }
  }

  @Override
  public Facts facts() {
    return new Facts(PREFIX + program, program, null, null, null, null, null);
  }

  @Override
  public Agent session(Setup setup) {
    return new Agent(
        String.valueOf(Path.of(program).getFileName()),
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
  static final class Reader extends Claude.Reader {
    /** What stream-json begins with; a program's other lines may be objects too. */
    private static final Set<String> BEGINNINGS = Set.of("system", "assistant", "result");

    /** Characters of text after which it is text: no wrapper prints so much before its program. */
    private static final int MOST_BEFORE = 16 * 1024;

    private static final String BYTE_ORDER_MARK = "\uFEFF";

    private AgentAnswer.@Nullable Complete answer;
    private long before;
    private boolean json;

    Reader() {
      transcript = new Transcript(false);
    }

    @Override
    public List<AgentSignal> line(String line) {
      if (!json && object(line).filter(this::begins).isPresent()) {
        json = true;
        any = false;
        transcript = new Transcript(true);
      }
      if (json) {
        return super.line(line);
      }
      String said = before == 0 && line.startsWith(BYTE_ORDER_MARK) ? line.substring(1) : line;
      before += said.strip().length();
      any = before > 0;
      AgentAnswer.Complete.line(said, null).ifPresent(found -> answer = found);
      transcript.heard(said);
      transcript.append(said + "\n");
      return List.of();
    }

    /** Whether this object begins a stream: the first thing printed, or what every stream has. */
    private boolean begins(JsonNode object) {
      return before == 0 || (before <= MOST_BEFORE && BEGINNINGS.contains(type(object)));
    }

    @Override
    AgentAnswer unfinished(String stderrTail) {
      if (json || !any) {
        return super.unfinished(stderrTail);
      }
      return answer == null ? AgentAnswer.Complete.of(transcript.partial(), null) : answer;
    }

    /** A program that prints text never reports what it used. */
    @Override
    public Agent.Reported reported() {
      return json ? super.reported() : Agent.Reported.IN_PART;
    }
  }
}
