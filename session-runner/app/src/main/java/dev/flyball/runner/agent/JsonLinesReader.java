package dev.flyball.runner.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.containment.ContainedProcess.Exit;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the output of an agent that prints JSON lines. Lines that are no JSON object and unknown
 * types mean nothing, because every format grows with each release.
 */
abstract sealed class JsonLinesReader implements AgentReader
    permits Claude.Reader, Codex.Reader, Gemini.Reader {
  private static final int MOST_TOOLS = 1000;

  final Transcript transcript = new Transcript();
  final UsageTotals spending;

  /** Whether any object was read. */
  boolean any;

  /** What the agent reported as its result. */
  @Nullable AgentAnswer result;

  private final Set<String> tools = new HashSet<>();

  /** Nothing is read yet, of a session with these prices. */
  JsonLinesReader(@Nullable TokenPrices prices) {
    spending = new UsageTotals(prices);
  }

  /** Reads one object, which has a type; returns its signals, often none. */
  abstract List<AgentSignal> object(JsonNode node);

  /** An end that the program explains in its own way; null for any other. */
  @Nullable AgentAnswer explained(Exit exit, String stderrTail) {
    return null;
  }

  /** What an exit code says. */
  String said(int exitCode) {
    return "exit " + exitCode;
  }

  /** What an end with exit code 0 and without a result means. */
  AgentAnswer unfinished(String stderrTail) {
    return transcript.broken(
        Transcript.NO_OUTPUT, any ? "no output: no result line" : "no output", stderrTail);
  }

  @Override
  public List<AgentSignal> line(String line) {
    transcript.heard(line);
    Optional<JsonNode> object = StreamJson.object(line);
    any |= object.isPresent();
    return object.map(this::object).orElse(List.of());
  }

  @Override
  public AgentAnswer end(Exit exit, String stderrTail) {
    if (result instanceof AgentAnswer.Complete) {
      return result;
    }
    AgentAnswer known = explained(exit, stderrTail);
    if (known != null) {
      return known;
    }
    if (result instanceof AgentAnswer.Broken broken) {
      return transcript.broken(broken, stderrTail);
    }
    if (!any) {
      transcript.blames(Fault.ofProgram(exit.code(), exit.signal(), stderrTail));
    }
    if (exit.signalled()) {
      return transcript.killed(exit, stderrTail);
    }
    return exit.code() == 0
        ? unfinished(stderrTail)
        : transcript.broken(Transcript.EXIT, said(exit.code()), stderrTail);
  }

  @Override
  public AgentAnswer soFar() {
    return result != null ? result : transcript.unanswered();
  }

  @Override
  public Reported reported() {
    return spending.reported(transcript.fault() != null);
  }

  /** A tool began. An agent may start several together. */
  AgentSignal toolBegan(String id) {
    if (tools.size() < MOST_TOOLS) {
      tools.add(AgentLine.of(id));
    }
    return new AgentSignal.ToolRunning(true);
  }

  /** A tool ended; others may still run. */
  AgentSignal toolEnded(String id) {
    tools.remove(AgentLine.of(id));
    return new AgentSignal.ToolRunning(!tools.isEmpty());
  }

  /** The model answered: what was rejected before is over, and what it costs is not known yet. */
  void worked() {
    transcript.answeredAgain();
    spending.worked();
  }

  /** Keeps a result, unless it is no answer and the session has one. */
  AgentSignal took(AgentAnswer answer) {
    AgentAnswer kept =
        result instanceof AgentAnswer.Complete && answer instanceof AgentAnswer.Broken
            ? result
            : answer;
    result = kept;
    return new AgentSignal.Result(kept);
  }
}
