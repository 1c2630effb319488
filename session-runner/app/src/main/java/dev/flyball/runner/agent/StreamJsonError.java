package dev.flyball.runner.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.session.Failure;
import dev.flyball.contract.session.Failure.Kind;
import dev.flyball.contract.text.OneLine;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A result line that is an error; a subtype {@code success} can be one too. */
final class StreamJsonError {
  /** The model never answered in the form of the schema, although it was asked several times. */
  static final String NO_MATCH = "error_max_structured_output_retries";

  /** Errors that repeat until the settings are fixed. */
  private static final Set<String> PERMANENT =
      Set.of(
          "authentication_failed",
          "oauth_org_not_allowed",
          "billing_error",
          "model_not_found",
          "invalid_request");

  private static final int MOST_TOOLS = 10;
  private static final int LONGEST_TOOL = 64;

  private StreamJsonError() {}

  /**
   * Classifies the agent's error.
   *
   * @param complaint the kind of error that an assistant's message named before, if one did
   * @param partial the answer so far
   */
  static AgentAnswer.Broken of(JsonNode result, @Nullable String complaint, String partial) {
    String kind = OneLine.start(result.path("subtype").asText("error"), LONGEST_TOOL);
    String terminal = result.path("terminal_reason").asText();
    if (terminal.equals("prompt_too_long")) {
      return new AgentAnswer.Broken(
          new Failure(Kind.POISON, Failure.PROMPT_TOO_LONG),
          "prompt too long for the model",
          partial);
    }
    if (result.path("num_turns").asInt(1) == 0 && unknownSession(result)) {
      return new AgentAnswer.Broken(
          new Failure(Kind.TRANSIENT, Failure.UNKNOWN_SESSION),
          "claude does not know the session that it was to resume",
          partial);
    }
    if (kind.equals("success")) {
      kind = complaint != null ? complaint : terminal.isBlank() ? "error" : terminal;
    }
    int status = result.path("api_error_status").asInt();
    String said = result.path("errors").path(0).asText(result.path("result").asText());
    String reason =
        AgentLine.of(
            "agent error "
                + kind
                + (status > 0 ? " " + status : "")
                + (said.isBlank() ? "" : ": " + said)
                + denials(result));
    return new AgentAnswer.Broken(failure(kind), reason, partial);
  }

  /** Claude Code prints this as its only line when it is to resume a session that it lacks. */
  private static boolean unknownSession(JsonNode result) {
    return result.path("errors").path(0).asText().startsWith("No conversation found");
  }

  /** Only known kinds become codes: an agent could write anything here. */
  private static Failure failure(String kind) {
    if (kind.equals("error_max_budget_usd")) {
      // A retry would spend the same once more.
      return new Failure(Kind.PERMANENT, "session-budget");
    }
    if (kind.equals(NO_MATCH)) {
      return new Failure(Kind.TRANSIENT, "no-structured-answer");
    }
    return PERMANENT.contains(kind)
        ? new Failure(Kind.PERMANENT, kind.replace('_', '-'))
        : Transcript.ERROR;
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
