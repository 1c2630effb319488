package dev.flyball.runner.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Failure.Kind;
import dev.flyball.contract.text.OneLine;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A result line that is an error; a subtype {@code success} can be one too. */
final class StreamJsonError {
  /** The model never answered in the form of the schema, although it was asked several times. */
  static final String NO_MATCH = "error_max_structured_output_retries";

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

  private static final int MOST_TOOLS = 10;
  private static final int LONGEST_TOOL = 64;

  private StreamJsonError() {}

  /**
   * Classifies the agent's error.
   *
   * @param complaint the kind of error that an assistant's message named before, if one did
   * @param transcript the answer so far, and what errors before it show
   */
  static AgentAnswer.Broken of(JsonNode result, @Nullable String complaint, Transcript transcript) {
    String kind = OneLine.start(result.path("subtype").asText("error"), LONGEST_TOOL);
    String terminal = result.path("terminal_reason").asText();
    if (terminal.equals("prompt_too_long")) {
      return new AgentAnswer.Broken(
          new Failure(Kind.POISON, Failure.PROMPT_TOO_LONG),
          "prompt too long for the model",
          transcript.partial());
    }
    if (result.path("num_turns").asInt(1) == 0 && unknownSession(result)) {
      return new AgentAnswer.Broken(
          new Failure(Kind.TRANSIENT, Failure.UNKNOWN_SESSION),
          "claude does not know the session that it was to resume",
          transcript.partial());
    }
    String named = kind;
    if (kind.equals("success")) {
      named = complaint != null ? complaint : terminal.isBlank() ? "error" : terminal;
    }
    int status = result.path("api_error_status").asInt();
    String said = result.path("errors").path(0).asText(result.path("result").asText());
    String reason =
        AgentLine.of(
            "agent error "
                + named
                + (status > 0 ? " " + status : "")
                + (said.isBlank() ? "" : ": " + said)
                + denials(result));
    Failure own = OF_SESSION.get(kind);
    if (own != null) {
      return new AgentAnswer.Broken(own, reason, transcript.partial());
    }
    transcript.blames(Fault.ofClaude(complaint == null ? "" : complaint, status, said));
    return transcript.blaming(transcript.fault(), Transcript.ERROR, reason);
  }

  /** Claude Code prints this as its only line when it is to resume a session that it lacks. */
  private static boolean unknownSession(JsonNode result) {
    return result.path("errors").path(0).asText().startsWith("No conversation found");
  }

  /**
   * Names the tools that were denied, since an agent that may not do its work fails for that
   * reason.
   */
  static String denials(JsonNode result) {
    JsonNode denied = result.path("permission_denials");
    if (denied.isEmpty()) {
      return "";
    }
    var tools = new TreeSet<String>();
    denied.forEach(
        each -> tools.add(AgentLine.of(each.path("tool_name").asText("?"), LONGEST_TOOL)));
    String more = tools.size() > MOST_TOOLS ? " and " + (tools.size() - MOST_TOOLS) + " more" : "";
    return "; "
        + denied.size()
        + " tool calls denied: "
        + tools.stream().limit(MOST_TOOLS).collect(Collectors.joining(", "))
        + more;
  }
}
