package dev.flyball.runner.agent;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.contract.session.TokenCount;
import dev.flyball.runner.agent.Agent.Reported;
import dev.flyball.runner.agent.AgentSignal.Usage;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongBinaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Reads the output of an agent that prints JSON lines: one object with a {@code type} on each line,
 * from an untrusted program. Lines that are no such object and unknown types mean nothing, because
 * every format grows with each release.
 */
abstract sealed class JsonLinesReader implements Agent.Reader
    permits Claude.Reader, Codex.Reader, Copilot.Reader, Gemini.Reader {
  private static final int MOST_TOOLS = 1000;

  /** Figures beyond these are nonsense, and sums of them must not overflow. */
  private static final double MAX_USD = 1_000_000;

  private static final long MAX_TOKENS = 1_000_000_000_000L;

  /** A line of more values means nothing: a megabyte of empty objects costs a hundred of memory. */
  private static final int MAX_TOKENS_OF_A_LINE = 100_000;

  private static final ObjectMapper LINES =
      new ObjectMapper(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(100)
                          .maxTokenCount(MAX_TOKENS_OF_A_LINE)
                          .build())
                  // Field names that an agent chooses must not fill tables that outlive the line.
                  .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                  .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  Transcript transcript = new Transcript(true);
  final UsageTotals spending = new UsageTotals();

  boolean any;

  /** What the agent reported as its result. */
  @Nullable AgentAnswer result;

  private final Set<String> tools = new HashSet<>();

  /** What the newest line signals. */
  private List<AgentSignal> signals = List.of();

  /** Reads one object, which has a type, and {@link #say says} what it signals, often nothing. */
  abstract void object(JsonNode node);

  /** Signals something, in the order of the calls. */
  final void say(AgentSignal signal) {
    signals.add(signal);
  }

  /** An end that the program explains in its own way; null for any other. */
  @Nullable AgentAnswer explained(Exit exit, String stderrTail) {
    return null;
  }

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
    Optional<JsonNode> object = object(line);
    any |= object.isPresent();
    signals = new ArrayList<>();
    object.ifPresent(this::object);
    return signals;
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
  public AgentAnswer soFar(boolean silent) {
    return result != null ? result : transcript.unanswered();
  }

  @Override
  public Reported reported() {
    return spending.reported(transcript.fault() != null);
  }

  /** A tool is used; the first text of its arguments is a path, a pattern or a command. */
  final void doing(String tool, JsonNode arguments) {
    doing(
        tool,
        arguments
            .valueStream()
            .filter(JsonNode::isTextual)
            .map(JsonNode::asText)
            .findFirst()
            .orElse(""));
  }

  final void doing(String tool, String argument) {
    if (!tool.isEmpty()) {
      say(new AgentSignal.Doing(tool + " " + argument));
    }
  }

  /** A tool began or ended. An agent may start several together, so others may still run. */
  void tool(String id, boolean began) {
    if (!began) {
      tools.remove(Transcript.line(id));
    } else if (tools.size() < MOST_TOOLS) {
      tools.add(Transcript.line(id));
    }
    say(new AgentSignal.ToolRunning(began || !tools.isEmpty()));
  }

  /** The model answered: what was rejected before is over, and what it costs is not known yet. */
  void worked() {
    transcript.answeredAgain();
    spending.worked();
  }

  /** Keeps a result, unless it is no answer and the session has one. */
  void took(AgentAnswer answer) {
    AgentAnswer kept =
        result instanceof AgentAnswer.Complete && answer instanceof AgentAnswer.Broken
            ? result
            : answer;
    result = kept;
    say(new AgentSignal.Result(kept));
  }

  /** The line as an object with a {@code type}, empty if it is none. */
  static Optional<JsonNode> object(String line) {
    return anyObject(line).filter(node -> node.path("type").isTextual());
  }

  /** The text as one object, empty if it is none; a byte order mark and blanks mean nothing. */
  static Optional<JsonNode> anyObject(String text) {
    String line = (text.startsWith("\uFEFF") ? text.substring(1) : text).strip();
    if (!line.startsWith("{")) {
      return Optional.empty();
    }
    try {
      return Optional.of(LINES.readTree(line)).filter(JsonNode::isObject);
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
  }

  /** The object's type, for example {@code result}. */
  static String type(JsonNode node) {
    return node.path("type").asText();
  }

  /** Dollars as micro-dollars, rounded up; 0 for nonsense. */
  static long micros(JsonNode usd) {
    double value = usd.isNumber() ? Math.clamp(usd.asDouble(), 0, MAX_USD) : 0;
    return BigDecimal.valueOf(value)
        .movePointRight(6)
        .setScale(0, RoundingMode.CEILING)
        .longValue();
  }

  /** The number of tokens; 0 for nonsense. */
  static long tokens(JsonNode count) {
    return Math.clamp(count.asLong(), 0, MAX_TOKENS);
  }

  /** What was used, where the input tokens include those that were cached. */
  static TokenCount count(JsonNode usage, String input, String cached, String output) {
    long hit = tokens(usage.path(cached));
    long fresh = Math.max(0, tokens(usage.path(input)) - hit);
    return new TokenCount(fresh, hit, tokens(usage.path(output)));
  }

  static @Nullable String textOrNull(JsonNode node, String name) {
    return node.path(name).isTextual() ? node.path(name).asText() : null;
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
    private Usage total = Usage.NONE;
    private boolean asked;
    private boolean owed;
    private boolean settled;

    /** A request may have been sent: what it costs is not known before it is reported. */
    void asked() {
      asked = true;
      settled = false;
    }

    void worked() {
      asked();
      owed = true;
    }

    /** The agent reports all that it used; zeros for a model that answered are no report. */
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

    /** Adds what one message used, once, however often the message is reported. */
    Usage message(String longId, Usage used) {
      String id = Transcript.line(longId);
      Usage before = messages.getOrDefault(id, Usage.NONE);
      Usage now = each(before, used, Math::max);
      messages.put(id, now);
      return add(each(now, before, (more, less) -> more - less));
    }

    /** Adds what one more turn used. */
    Usage add(Usage used) {
      total = each(total, used, Long::sum);
      return total;
    }

    /** Raises the total to what the whole session used, as the agent reports it. */
    Usage atLeast(Usage used) {
      total = each(total, used, Math::max);
      return total;
    }

    private static Usage each(Usage one, Usage other, LongBinaryOperator figure) {
      return new Usage(
          figure.applyAsLong(one.inputTokens(), other.inputTokens()),
          figure.applyAsLong(one.outputTokens(), other.outputTokens()),
          figure.applyAsLong(one.cachedTokens(), other.cachedTokens()),
          figure.applyAsLong(one.costMicros(), other.costMicros()));
    }
  }
}
