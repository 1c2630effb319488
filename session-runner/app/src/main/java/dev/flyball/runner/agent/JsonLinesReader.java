package dev.flyball.runner.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.runner.agent.AgentReader.Reported;
import dev.flyball.runner.agent.AgentSignal.Usage;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

  /**
   * Adds up what a session has used, and knows whether that is all of it. Totals only grow, because
   * a program that is cut off prints zeros at its end.
   */
  static final class UsageTotals {
    /** Lines of one message follow each other closely; older ids need not be known any more. */
    private static final int KNOWN_MESSAGES = 1000;

    private final Map<String, Usage> messages =
        new LinkedHashMap<>() {
          @Override
          protected boolean removeEldestEntry(Map.Entry<String, Usage> eldest) {
            return size() > KNOWN_MESSAGES;
          }
        };
    private final @Nullable TokenPrices prices;
    private Usage total = Usage.NONE;
    private boolean asked;
    private boolean owed;
    private boolean settled;

    /**
     * Begins with nothing.
     *
     * @param prices what tokens cost whose cost the agent does not report
     */
    UsageTotals(@Nullable TokenPrices prices) {
      this.prices = prices;
    }

    /** A request may have been sent: what it costs is not known before it is reported. */
    void asked() {
      asked = true;
      settled = false;
    }

    /** The model has answered something. */
    void worked() {
      asked();
      owed = true;
    }

    /**
     * The agent reports all that it has used; zeros for a model that has answered are no report.
     */
    void settled(Usage reported) {
      asked = true;
      owed &= reported.tokens() == 0 && reported.costMicros() == 0;
      settled = !owed;
    }

    /**
     * How far the agent has reported what it used.
     *
     * @param rejected whether its last request was rejected
     */
    Reported reported(boolean rejected) {
      if (!asked) {
        return Reported.NO_TURN;
      }
      return owed || !(settled || rejected) ? Reported.IN_PART : Reported.ALL;
    }

    /**
     * Adds what one message used. The same message may be reported several times, and is added
     * once.
     */
    Usage message(String longId, Usage used) {
      String id = AgentLine.of(longId);
      Usage before = messages.getOrDefault(id, Usage.NONE);
      Usage now = most(before, used);
      messages.put(id, now);
      total =
          new Usage(
              total.inputTokens() + now.inputTokens() - before.inputTokens(),
              total.outputTokens() + now.outputTokens() - before.outputTokens(),
              total.cachedTokens() + now.cachedTokens() - before.cachedTokens(),
              total.costMicros());
      return priced();
    }

    /** Adds what one more turn used. */
    Usage add(Usage used) {
      total =
          new Usage(
              total.inputTokens() + used.inputTokens(),
              total.outputTokens() + used.outputTokens(),
              total.cachedTokens() + used.cachedTokens(),
              total.costMicros() + used.costMicros());
      return priced();
    }

    /** Raises the total to what the whole session used, as the agent reports it. */
    Usage atLeast(Usage used) {
      total = most(total, used);
      return priced();
    }

    /** A cost that the agent reports after all is its own, and stays. */
    private Usage priced() {
      return prices == null || total.costMicros() > 0 ? total : prices.applied(total);
    }

    private static Usage most(Usage one, Usage other) {
      return new Usage(
          Math.max(one.inputTokens(), other.inputTokens()),
          Math.max(one.outputTokens(), other.outputTokens()),
          Math.max(one.cachedTokens(), other.cachedTokens()),
          Math.max(one.costMicros(), other.costMicros()));
    }
  }
}
