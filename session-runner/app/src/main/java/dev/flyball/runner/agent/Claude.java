package dev.flyball.runner.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Failure.Kind;
import dev.flyball.contract.text.Dollars;
import dev.flyball.contract.text.OneLine;
import dev.flyball.runner.agent.Agent.Trait;
import dev.flyball.runner.agent.AgentProgram.AgentArguments;
import dev.flyball.runner.agent.AgentSignal.Identified;
import dev.flyball.runner.agent.AgentSignal.Usage;
import dev.flyball.runner.agent.AgentSignal.Waiting;
import dev.flyball.runner.prompt.AgentInput;
import dev.flyball.runner.prompt.DeepPrompt;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Claude Code as {@code claude -p}.
 *
 * @param model the value for {@code --model}; null for the program's choice
 */
public record Claude(@Nullable String model) implements AgentProgram {
  /** The families that have separate weekly limits, as its {@code rate_limit_event} names. */
  private static final List<String> FAMILIES = List.of("opus", "sonnet");

  private static final Agent.Variables VARIABLES =
      Agent.Variables.ofProvider(
          Set.of(
              "ANTHROPIC_API_KEY",
              "ANTHROPIC_AUTH_TOKEN",
              "ANTHROPIC_CUSTOM_HEADERS",
              "CLAUDE_CODE_OAUTH_TOKEN"),
          Set.of("ANTHROPIC_BASE_URL", "CLAUDE_CONFIG_DIR"),
          Map.of(
              // Three retries are enough: triage-stream has the better back-off.
              "CLAUDE_CODE_MAX_RETRIES", "3",
              "CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS", "1",
              "CLAUDE_CODE_DISABLE_AUTO_MEMORY", "1",
              "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1",
              "DISABLE_AUTOUPDATER", "1"));

  @Override
  public Facts facts() {
    return new Facts(
        "claude",
        "claude",
        "npm install -g @anthropic-ai/claude-code",
        // The provider keeps these names for the newest model of that size.
        "sonnet",
        "haiku",
        "anthropic",
        new AgentArguments(
            Set.of("--effort", "--fallback-model", "--max-turns", "--betas"),
            Set.of("--bare", "--exclude-dynamic-system-prompt-sections")));
  }

  @Override
  public boolean reportsCost() {
    return true;
  }

  @Override
  public boolean takesTools() {
    return true;
  }

  @Override
  public String provider() {
    return FAMILIES.stream()
        .filter(family -> model != null && model.contains(family))
        .findFirst()
        .map(family -> "anthropic/" + family)
        .orElse("anthropic");
  }

  @Override
  public Agent session(Setup setup) {
    String tools = String.join(",", setup.tools());
    var own = new ArrayList<>(List.of("--session-id", Agent.SESSION));
    own.addAll(List.of("--tools", tools, "--allowedTools", tools));
    // TERM leaves the turn unfinished and prints no result. INT prints one, with the spend, but for
    // about 3 of 100 times (2.1.329); those are booked with their whole reserve.
    return agent(
        command(own, AgentAnswer.SCHEMA, setup.budgetMicros()),
        setup.prompt(),
        Set.of(Trait.PAID, Trait.ENDS_TURN_ON_INTERRUPT));
  }

  @Override
  public Optional<Agent> oneAnswer(String schema, long budgetMicros) {
    // The answer is kept in a topic. A transcript on disk would only repeat the items' texts.
    List<String> own = List.of("--tools", "", "--no-session-persistence");
    return Optional.of(
        agent(
            command(own, schema, budgetMicros),
            DeepPrompt.BUNDLED,
            Set.of(Trait.PAID, Trait.ENDS_TURN_ON_INTERRUPT, Trait.TAKES_SCHEMA)));
  }

  private List<String> command(List<String> own, String schema, long budgetMicros) {
    var command = new ArrayList<>(List.of(name(), "-p", "--output-format", "stream-json"));
    command.add("--verbose");
    // What is not allowed is denied, because no user is there to answer a question.
    command.addAll(List.of("--permission-mode", "dontAsk"));
    command.addAll(own);
    // The repository's hooks, permissions, environment and CLAUDE.md stay unread, and only MCP
    // servers named here (none) start. --bare would do too, but it rejects a subscription's login.
    command.addAll(List.of("--setting-sources", "", "--strict-mcp-config"));
    command.addAll(List.of("--json-schema", schema));
    command.addAll(AgentProgram.model(model));
    if (budgetMicros > 0) {
      command.addAll(List.of("--max-budget-usd", Dollars.exact(budgetMicros)));
    }
    return command;
  }

  private Agent agent(List<String> command, AgentInput input, Set<Trait> traits) {
    return new Agent(
        name(), command, VARIABLES, input, _ -> new Reader(), traits, Claude::resumed, null);
  }

  static List<String> resumed(List<String> command, String earlier) {
    var all = new ArrayList<>(command);
    int own = all.indexOf(Agent.SESSION);
    all.set(own - 1, "--resume");
    all.set(own, earlier);
    return all;
  }

  /** Reads stream-json as Claude Code prints it, as scout answers and as others print it too. */
  static sealed class Reader extends JsonLinesReader permits Command.Reader, Qwen.Reader {
    /** The model of an assistant's message that the program wrote itself, without the provider. */
    private static final String SYNTHETIC = "<synthetic>";

    /** The model never answered in the form of the schema, although it was asked several times. */
    private static final String NO_MATCH = "error_max_structured_output_retries";

    /** Ends that the session itself brought about. Only known kinds become codes. */
    private static final Map<String, Failure> OF_SESSION =
        Map.of(
            // A retry would spend the same once more.
            "error_max_budget_usd",
            new Failure(Kind.PERMANENT, "session-budget"),
            "error_max_turns",
            Transcript.ERROR,
            NO_MATCH,
            new Failure(Kind.TRANSIENT, "no-structured-answer"));

    private static final int LONGEST_NAME = 64;

    private @Nullable String named;
    private @Nullable String complaint;
    private boolean worksOn;
    private String lastId = "";
    private final StringBuilder lastText = new StringBuilder();

    @Override
    void object(JsonNode node) {
      switch (type(node)) {
        case "system" -> system(node);
        case "assistant" -> assistant(node);
        case "user" -> user(node);
        case "rate_limit_event" -> limited(node.path("rate_limit_info"));
        case "result" -> result(node);
        default -> {}
      }
    }

    /** Hooks and plugins may print before the init line. */
    private void system(JsonNode node) {
      switch (node.path("subtype").asText()) {
        case "init" -> {
          // The next thing that it does is a request.
          spending.asked();
          named = textOrNull(node, "model");
          say(new Identified(textOrNull(node, "session_id"), named));
        }
        case "api_retry" -> {
          String error = node.path("error").asText("retry");
          int status = node.path("error_status").asInt();
          Optional<Fault> shown = ofError(error, status, error);
          // Without a status there was no response, whatever the program calls that.
          boolean unreached = shown.isEmpty() && node.path("error_status").isNull();
          transcript.blames(unreached ? Fault.in("connection failed") : shown);
          say(new Waiting());
        }
        default -> {}
      }
    }

    private void assistant(JsonNode node) {
      JsonNode message = node.path("message");
      String error = textOrNull(node, "error");
      if (error != null || message.path("model").asText().equals(SYNTHETIC)) {
        complaint = error;
        if (error != null) {
          String said = message.path("content").path(0).path("text").asText();
          transcript.blames(ofError(error, node.path("api_error_status").asInt(), said));
        }
        return;
      }
      complaint = null;
      worked();
      if (result != null && !worksOn) {
        worksOn = true;
        say(new AgentSignal.Working());
      }
      boolean own = !node.path("parent_tool_use_id").isTextual();
      for (JsonNode part : message.path("content")) {
        switch (type(part)) {
          case "text" -> {
            transcript.append(part.path("text").asText() + "\n");
            if (own) {
              last(message.path("id").asText(), part.path("text").asText());
            }
          }
          case "tool_use" -> {
            // What comes with a call is no last message.
            last("", "");
            doing(part.path("name").asText(), part.path("input"));
            tool(part.path("id").asText(), true);
          }
          default -> {}
        }
      }
      if (message.path("usage").isObject() && message.path("id").isTextual()) {
        say(spending.message(message.path("id").asText(), usage(message.path("usage"), 0)));
      }
    }

    /** Keeps the text of the last message, which comes in several parts with one id. */
    private void last(String id, String text) {
      if (id.isEmpty() || !id.equals(lastId)) {
        lastId = Transcript.line(id);
        lastText.setLength(0);
      }
      lastText.append(text, 0, Math.min(text.length(), Transcript.MAX_ANSWER - lastText.length()));
    }

    private void user(JsonNode node) {
      for (JsonNode part : node.path("message").path("content")) {
        if (type(part).equals("tool_result")) {
          tool(part.path("tool_use_id").asText(), false);
        }
      }
    }

    private void limited(JsonNode info) {
      String type = info.path("rateLimitType").asText("rate limit");
      if (info.path("status").asText().equals("rejected")) {
        String code = info.path("errorCode").asText();
        Fault limit = Fault.limit(info.path("resetsAt").asLong(0), type, ofModel(type));
        Optional<Fault> empty =
            Fault.in(code).filter(it -> it.failure().code().equals(Fault.EXHAUSTED));
        transcript.blames(empty.or(() -> Optional.of(limit)));
      } else {
        transcript.answeredAgain();
      }
      say(new Waiting());
    }

    /** A weekly limit that only the sessions of one model meet. */
    private static boolean ofModel(String type) {
      return type.equals("seven_day_opus") || type.equals("seven_day_sonnet");
    }

    private void result(JsonNode node) {
      boolean reported = node.path("usage").isObject() || node.has("total_cost_usd");
      Usage used = used(node);
      Usage total = spending.atLeast(used);
      if (!aside(node)) {
        // The first answer stays: an error after it, or nothing, is no answer to the prompt.
        took(answer(node, node.path("usage").isObject() && total.tokens() == 0));
        worksOn = false;
      } else if (result != null) {
        say(new AgentSignal.Result(result));
        worksOn = false;
      }
      // Usage follows the answer: an answer that went over its budget has been paid for, and is
      // kept.
      if (reported) {
        spending.settled(used);
        say(total);
      }
    }

    /**
     * Whether a result does not answer the prompt: a notification of a background task has a
     * separate result, and so has what the program does without a turn.
     */
    private boolean aside(JsonNode node) {
      boolean silent =
          node.path("num_turns").isInt()
              && node.path("num_turns").asInt() == 0
              && !node.path("is_error").asBoolean()
              && (result != null || node.path("result").asText().isBlank())
              && !node.path("structured_output").isObject();
      return silent || node.path("origin").path("kind").asText().equals("task-notification");
    }

    /**
     * Returns the usage by model, because only those figures include the subagents. Without them it
     * returns the session's own usage.
     */
    private static Usage used(JsonNode node) {
      long input = 0;
      long output = 0;
      long cached = 0;
      for (JsonNode model : node.path("modelUsage")) {
        input += tokens(model.path("inputTokens")) + tokens(model.path("cacheCreationInputTokens"));
        output += tokens(model.path("outputTokens"));
        cached += tokens(model.path("cacheReadInputTokens"));
      }
      long cost = micros(node.path("total_cost_usd"));
      return input + output + cached > 0
          ? new Usage(input, output, cached, cost)
          : usage(node.path("usage"), cost);
    }

    private static Usage usage(JsonNode usage, long costMicros) {
      return new Usage(
          tokens(usage.path("input_tokens")) + tokens(usage.path("cache_creation_input_tokens")),
          tokens(usage.path("output_tokens")),
          tokens(usage.path("cache_read_input_tokens")),
          costMicros);
    }

    /**
     * Reads the answer of a result.
     *
     * @param unused whether it reports that no token was used, so that no model can have answered
     */
    private AgentAnswer answer(JsonNode node, boolean unused) {
      // What the model wrote besides is an answer all the same.
      if (node.path("subtype").asText().equals(NO_MATCH) && !transcript.partial().isBlank()) {
        return AgentAnswer.Complete.of(transcript.partial(), model(node));
      }
      if (node.path("is_error").asBoolean() || node.path("subtype").asText().startsWith("error")) {
        return error(node);
      }
      Optional<AgentAnswer.Complete> ours =
          AgentAnswer.Complete.structured(node.path("structured_output"), model(node))
              .or(() -> AgentAnswer.Complete.line(node, model(node)));
      if (ours.isPresent()) {
        return ours.get();
      }
      String text = node.path("result").asText().strip();
      // A rejection may come as a success: what an error of the program said last, or no model.
      boolean complained = complaint != null || unused;
      if (complained && (transcript.fault() != null || (unused && Fault.in(text).isPresent()))) {
        return error(node);
      }
      String last = lastText.toString().strip();
      if (last.startsWith(text)) {
        text = last;
      }
      return text.isBlank()
          ? new AgentAnswer.Broken(
              Transcript.NO_OUTPUT,
              "no output: the result line has no text" + denials(node),
              transcript.partial())
          : AgentAnswer.Complete.of(text, model(node));
    }

    /** The model that the init line named; else the first model that was paid for. */
    private @Nullable String model(JsonNode node) {
      if (named != null) {
        return Transcript.name(named);
      }
      var names = node.path("modelUsage").fieldNames();
      return names.hasNext() ? names.next() : null;
    }

    /** Reads a result that is an error; a subtype {@code success} can be one too. */
    private AgentAnswer.Broken error(JsonNode result) {
      String kind = OneLine.start(result.path("subtype").asText("error"), LONGEST_NAME);
      String terminal = result.path("terminal_reason").asText();
      if (terminal.equals("prompt_too_long")) {
        return new AgentAnswer.Broken(
            new Failure(Kind.POISON, Failure.PROMPT_TOO_LONG),
            "prompt too long for the model",
            transcript.partial());
      }
      String said = result.path("errors").path(0).asText(result.path("result").asText());
      // Its only line when it is to resume a session that it lacks.
      if (result.path("num_turns").asInt(1) == 0 && said.startsWith("No conversation found")) {
        return transcript.unknownSession("claude");
      }
      String what = kind;
      if (kind.equals("success")) {
        what = complaint != null ? complaint : terminal.isBlank() ? "error" : terminal;
      }
      int status = result.path("api_error_status").asInt();
      String reason =
          Transcript.line(
              "agent error "
                  + what
                  + (status > 0 ? " " + status : "")
                  + (said.isBlank() ? "" : ": " + said)
                  + denials(result));
      Failure own = OF_SESSION.get(kind);
      if (own != null) {
        return new AgentAnswer.Broken(own, reason, transcript.partial());
      }
      transcript.blames(ofError(complaint == null ? "" : complaint, status, said));
      return transcript.blaming(Transcript.ERROR, reason);
    }

    /** Names denied tools: an agent that may not do its work fails for that reason. */
    private static String denials(JsonNode result) {
      JsonNode denied = result.path("permission_denials");
      var tools = new TreeSet<String>();
      denied.forEach(
          each -> tools.add(Transcript.line(each.path("tool_name").asText("?"), LONGEST_NAME)));
      return denied.isEmpty()
          ? ""
          : "; " + denied.size() + " tool calls denied: " + String.join(", ", tools);
    }

    /**
     * What Claude Code's own fields of an error mean.
     *
     * @param kind its {@code error}, for example {@code rate_limit}; blank if it names none
     * @param status the provider's HTTP status, 0 if there was no response
     * @param said the text of the error
     */
    private static Optional<Fault> ofError(String kind, int status, String said) {
      String all = kind + ": " + said;
      return switch (kind) {
        case "authentication_failed", "oauth_org_not_allowed" ->
            // The program calls any 403 so: also that of a provider without money.
            Fault.in(said).filter(Fault::isProviders).or(() -> Fault.ofRunner("agent-login"));
        case "billing_error" -> Fault.ofProvider(Fault.EXHAUSTED, all);
        case "rate_limit" ->
            Fault.in(said)
                .filter(Fault::isProviders)
                .or(() -> Optional.of(Fault.limit(0, said, false)));
        case "model_not_found" -> Fault.ofRunner("agent-model");
        case "overloaded" -> Fault.ofProvider(Fault.OUTAGE, all);
        case "server_error" ->
            // Without a response it is the way to the provider, or an outage that the text names.
            Fault.status(status, said)
                .or(() -> Fault.in(said))
                .or(() -> Fault.ofProvider(Fault.OUTAGE, all));
        case "invalid_request" -> Fault.in(said).or(() -> Optional.of(Fault.INVALID));
        default -> Fault.ofCall(status, said);
      };
    }
  }
}
