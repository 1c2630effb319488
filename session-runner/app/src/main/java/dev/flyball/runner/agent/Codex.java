package dev.flyball.runner.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.contract.session.TokenCount;
import dev.flyball.contract.text.OneLine;
import dev.flyball.runner.agent.Agent.Trait;
import dev.flyball.runner.agent.AgentProgram.AgentArguments;
import dev.flyball.runner.agent.AgentSignal.Usage;
import dev.flyball.runner.agent.AgentSignal.Waiting;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Codex as {@code codex exec}. It reports tokens but no cost, so a session is booked with its whole
 * reserve. It has no flag that removes every tool, so it answers a question where there is nothing
 * to read.
 *
 * @param model the value for {@code --model}; null for the program's choice
 */
public record Codex(@Nullable String model) implements AgentProgram {
  /** Other keys start programs, or decide what its sandbox allows. */
  private static final Pattern KEY =
      Pattern.compile("(model_[a-z_]+(\\.[A-Za-z0-9_-]+)*|oss_provider|service_tier)=(?s:.*)");

  @Override
  public Facts facts() {
    return new Facts(
        "codex",
        "codex",
        "npm install -g @openai/codex",
        // An account without this model needs sessions.model.
        "gpt-5.4",
        "gpt-5.4-mini",
        "openai",
        new AgentArguments(
            Set.of("-c", "--config", "--local-provider"),
            Set.of("--oss"),
            (option, value) -> option.equals("--local-provider") || KEY.matcher(value).matches(),
            "keys that begin with model_, oss_provider and service_tier, written as key=value"));
  }

  @Override
  public Agent session(Setup setup) {
    var command = new ArrayList<>(List.of(name(), "exec", "--json", "--sandbox", "read-only"));
    command.add("--skip-git-repo-check");
    // Hooks, rules and MCP servers of a repository apply only where the user's configuration trusts
    // it. Without that configuration nothing is trusted.
    command.addAll(List.of("--ignore-user-config", "--ignore-rules"));
    command.addAll(AgentProgram.model(model));
    command.add(Agent.STANDARD_INPUT);
    return new Agent(
        name(),
        command,
        Agent.Variables.ofProvider(
            Set.of("CODEX_API_KEY", "OPENAI_API_KEY"),
            Set.of("OPENAI_BASE_URL", "CODEX_HOME"),
            Map.of()),
        setup.prompt(),
        before -> new Reader(model, before),
        Set.of(Trait.PAID),
        (fresh, earlier) -> Agent.inserted(fresh, List.of("resume", earlier)),
        null);
  }

  @Override
  public Optional<Agent> oneAnswer(String schema, long budgetMicros) {
    // The answer is kept in a topic. A thread on disk would only repeat the items' texts.
    List<String> once = List.of("--ephemeral", "--output-schema", SCHEMA_FILE);
    return AgentProgram.super
        .oneAnswer(schema, budgetMicros)
        .map(session ->
            session.with(
                Agent.inserted(session.program(), once), Set.of(Trait.PAID, Trait.TAKES_SCHEMA)));
  }

  /**
   * Reads {@code codex exec --json}. A session has no final line: it has answered when a turn was
   * completed, or when it ended well after its last message. An item of type {@code error} is a
   * warning, not a failure.
   */
  static final class Reader extends JsonLinesReader {
    private static final Set<String> TOOLS =
        Set.of(
            "command_execution", "file_change", "mcp_tool_call", "collab_tool_call", "web_search");

    /** What codex 0.169.0 writes to standard error when it is to resume a thread that it lacks. */
    private static final String UNKNOWN_THREAD = "no rollout found for thread id";

    /** What a command prints that its sandbox did not let run. */
    private static final Pattern SANDBOX =
        Pattern.compile(
            "\\bbwrap\\b|landlock|linux-sandbox|seccomp"
                + "|sandbox.{0,60}(?:denied|fail|error|not permitted|unavailable|refused)"
                + "|(?:denied|fail|error|not permitted).{0,60}sandbox",
            Pattern.CASE_INSENSITIVE);

    private static final int LOOKED_AT = 4096;

    private final @Nullable String model;
    private TokenCount before;
    private String message = "";
    private String complaint = "";
    private boolean messageIsLast;
    private int commands;
    private int commandsFailed;
    private boolean sandboxFailed;

    /** Creates the reader of one session. The thread's total is what codex reports. */
    Reader(@Nullable String model, TokenCount before) {
      this.model = model;
      this.before = before;
    }

    @Override
    @Nullable AgentAnswer explained(Exit exit, String stderrTail) {
      return exit.code() != 0 && !any && stderrTail.contains(UNKNOWN_THREAD)
          ? transcript.unknownSession("codex")
          : null;
    }

    @Override
    AgentAnswer unfinished(String stderrTail) {
      return answered()
          ? answer()
          : transcript.broken(
              Transcript.NO_OUTPUT,
              message.isBlank() ? "no output" : "no completed turn",
              stderrTail);
    }

    /** A program that hangs after its last message has answered, and would do so again. */
    @Override
    public AgentAnswer soFar(boolean silent) {
      return silent && result == null && answered() ? answer() : super.soFar(silent);
    }

    private boolean answered() {
      return messageIsLast && transcript.fault() == null;
    }

    @Override
    void object(JsonNode node) {
      switch (type(node)) {
        case "turn.started" -> {
          spending.asked();
          // A further turn after its result: the answer so far stays.
          if (result != null) {
            say(new AgentSignal.Working());
          }
        }
        case "thread.started" ->
            say(new AgentSignal.Identified(textOrNull(node, "thread_id"), model));
        case "item.started" -> item(node.path("item"), false);
        case "item.completed" -> item(node.path("item"), true);
        case "turn.completed" -> completed(node.path("usage"));
        case "turn.failed" -> failed(node.path("error").path("message").asText(complaint));
        case "error" -> complained(node.path("message").asText());
        default -> {}
      }
    }

    private void item(JsonNode item, boolean done) {
      String type = type(item);
      if (type.equals("error")) {
        return;
      }
      worked();
      if (TOOLS.contains(type)) {
        messageIsLast = false;
        if (done && type.equals("command_execution")) {
          command(item);
        }
        if (!done) {
          doing(type.replace('_', ' '), item.path("command").asText(item.path("query").asText()));
        }
        tool(item.path("id").asText(), !done);
      } else if (done && type.equals("agent_message")) {
        message = item.path("text").asText();
        messageIsLast = !message.isBlank();
        transcript.append(message + "\n");
      }
    }

    private void command(JsonNode item) {
      commands++;
      boolean failed =
          item.path("exit_code").isInt()
              ? item.path("exit_code").asInt() != 0
              : !item.path("status").asText().equals("completed");
      if (failed) {
        commandsFailed++;
        String output = item.path("aggregated_output").asText();
        sandboxFailed |= SANDBOX.matcher(OneLine.start(output, LOOKED_AT)).find();
      }
    }

    /** The last message, unless none of its commands could read anything. */
    private AgentAnswer answer() {
      return sandboxFailed && commandsFailed == commands
          ? new AgentAnswer.Broken(
              Fault.runner("agent-sandbox"),
              "agent sandbox: none of its "
                  + commands
                  + " commands ran; codex needs unprivileged user namespaces (bwrap) or Landlock"
                  + " here",
              transcript.partial())
          : AgentAnswer.Complete.of(message, model);
    }

    private void completed(JsonNode usage) {
      if (usage.isObject()) {
        TokenCount total = count(usage, "input_tokens", "cached_input_tokens", "output_tokens");
        Usage used = Usage.of(total.since(before), 0);
        before = total;
        spending.settled(used);
        say(spending.add(used));
      }
      took(
          message.isBlank()
              ? transcript.blaming(Transcript.NO_OUTPUT, "no output: the turn has no message")
              : answer());
    }

    /**
     * Reads an error line. Codex retries by itself, without end while there is no network: the line
     * shows that it is alive, not that it makes progress. Only a failed turn is an end.
     */
    private void complained(String words) {
      complaint = words;
      transcript.blames(Fault.in(words));
      say(new Waiting());
    }

    private void failed(String words) {
      took(transcript.error(words.isBlank() ? "turn failed" : words));
    }
  }
}
