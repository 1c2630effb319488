package dev.flyball.runner.agent;

import dev.flyball.containment.ContainedProcess.Exit;
import java.util.List;

/**
 * Reads any program: stream-json if its first line is a JSON object with a {@code type}, else text.
 * In text, all of its output is the answer.
 */
final class CommandReader implements AgentReader {
  private final StreamJsonReader stream = new StreamJsonReader();
  private final Transcript text = new Transcript();
  private boolean any;
  private boolean json;

  @Override
  public List<AgentSignal> line(String line) {
    if (!any) {
      if (line.isBlank()) {
        return List.of();
      }
      any = true;
      json = StreamJson.object(line).isPresent();
    }
    if (json) {
      return stream.line(line);
    }
    text.heard(line);
    text.append(line + "\n");
    return List.of();
  }

  @Override
  public AgentAnswer end(Exit exit, String stderrTail) {
    Transcript said = json ? stream.transcript() : text;
    AgentAnswer result = stream.result();
    if (exit.signalled()) {
      return withAnswer(said.killed(exit, stderrTail), result);
    }
    if (result instanceof AgentAnswer.Broken broken) {
      return broken;
    }
    if (exit.code() != 0) {
      return withAnswer(said.broken(Transcript.EXIT, "exit " + exit.code(), stderrTail), result);
    }
    if (json) {
      return stream.end(exit, stderrTail);
    }
    return text.partial().isBlank()
        ? text.broken(Transcript.NO_OUTPUT, "no output", stderrTail)
        : new AgentAnswer.Complete(text.partial(), List.of(), null, null, null);
  }

  @Override
  public AgentAnswer soFar() {
    return json ? stream.soFar() : text.unanswered();
  }

  /** Keeps what it answered before it broke. */
  private static AgentAnswer withAnswer(
      AgentAnswer.Broken broken, @org.jspecify.annotations.Nullable AgentAnswer result) {
    return result == null
        ? broken
        : new AgentAnswer.Broken(broken.failure(), broken.reason(), result.text());
  }
}
