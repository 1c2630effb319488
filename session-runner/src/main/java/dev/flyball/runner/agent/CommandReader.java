package dev.flyball.runner.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.runner.process.ContainedProcess.Exit;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads any program: stream-json if its first line is a JSON object with a {@code type}, else text.
 * In text, all of its output is the answer.
 */
final class CommandReader implements AgentReader {
  private final StringBuilder text = new StringBuilder();
  private boolean any;
  private boolean json;
  private boolean cut;
  private String lastLine = "";
  private @Nullable AgentAnswer result;

  @Override
  public List<AgentSignal> line(String line) {
    if (!any && line.isBlank()) {
      return List.of();
    }
    Optional<JsonNode> object = !any || json ? StreamJson.object(line) : Optional.empty();
    if (!any) {
      any = true;
      json = object.isPresent();
    }
    if (!line.isBlank()) {
      lastLine = line.length() > 4096 ? line.substring(0, 4096) : line;
    }
    if (!json) {
      append(line + "\n");
      return List.of();
    }
    if (object.isEmpty()) {
      return List.of();
    }
    append(StreamJson.text(object.get()));
    List<AgentSignal> signals = StreamJson.signals(object.get());
    for (AgentSignal signal : signals) {
      if (signal instanceof AgentSignal.Result done) {
        result = done.answer();
      }
    }
    return signals;
  }

  @Override
  public AgentAnswer end(Exit exit, String stderrTail) {
    if (exit.signalled()) {
      return broken(
          "killed by signal " + exit.signal() + " (exit " + exit.code() + ")", stderrTail);
    }
    if (result instanceof AgentAnswer.Broken broken) {
      return broken;
    }
    if (exit.code() != 0) {
      return broken("exit " + exit.code(), stderrTail);
    }
    if (result != null) {
      return result;
    }
    if (json) {
      return broken("no output: no result line", stderrTail);
    }
    return text.toString().isBlank()
        ? broken("no output", stderrTail)
        : new AgentAnswer.Complete(partial(), List.of(), null, null);
  }

  @Override
  public AgentAnswer soFar() {
    return result != null ? result : new AgentAnswer.Broken("ended before its answer", partial());
  }

  private String partial() {
    return cut ? text + "\n[cut at " + MAX_ANSWER + " characters]" : text.toString().strip();
  }

  private AgentAnswer broken(String what, String stderrTail) {
    String said = stderrTail.isBlank() ? "" : "; stderr: " + OneLine.tail(stderrTail);
    if (said.isEmpty() && !lastLine.isBlank()) {
      said = "; output: " + OneLine.of(lastLine);
    }
    return new AgentAnswer.Broken(what + said, result != null ? result.text() : partial());
  }

  private void append(String more) {
    int room = MAX_ANSWER - text.length();
    if (more.length() <= room) {
      text.append(more);
    } else {
      text.append(more, 0, Math.max(0, room));
      cut = true;
    }
  }
}
