package dev.flyball.tracker.azure;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.tracker.AsciiLine;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.azure.wiql.Found;
import dev.flyball.tracker.process.ProgramCall;
import dev.flyball.tracker.process.ProgramEnd;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Runs {@code az boards query} and distinguishes how it ends. Used by one thread. */
final class AzCommand {
  /** Where az cuts a result silently: a result of this many items may be incomplete. */
  static final int MOST_FOUND = 1_000;

  /**
   * No questions, no colours, no hints, no side programs: az would install extensions, send usage
   * data and ask git for the organisation.
   */
  private static final Map<String, String> ENVIRONMENT =
      Map.of(
          "AZURE_CORE_NO_COLOR", "true",
          "AZURE_CORE_ONLY_SHOW_ERRORS", "true",
          "AZURE_CORE_COLLECT_TELEMETRY", "false",
          "AZURE_CORE_SURVEY_MESSAGE", "false",
          "AZURE_CORE_DISABLE_CONFIRM_PROMPT", "true",
          "AZURE_EXTENSION_USE_DYNAMIC_INSTALL", "no",
          "GIT_TERMINAL_PROMPT", "0",
          "PYTHONIOENCODING", "utf-8");

  private final SourceConfig.AzureDevOpsCli config;
  private int calls;

  AzCommand(SourceConfig.AzureDevOpsCli config) {
    this.config = config;
  }

  /** How often it was started. */
  int calls() {
    return calls;
  }

  /** The items that a query finds. */
  Found<JsonNode> query(String wiql, RequestPermission permission) {
    Duration limit = Collections.min(List.of(config.timeout(), permission.limit()));
    permission.check();
    calls++;
    try {
      return found(new ProgramCall(command(wiql), ENVIRONMENT, limit).run(), limit);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RequestPermission.PermissionLost("interrupted");
    }
  }

  private List<String> command(String wiql) {
    var command =
        new ArrayList<>(
            List.of(
                config.program(),
                "boards",
                "query",
                "--wiql",
                wiql,
                "--output",
                "json",
                "--only-show-errors",
                "--detect",
                "false"));
    if (config.url() != null) {
      command.addAll(List.of("--organization", config.url().toString()));
    }
    return command;
  }

  private Found<JsonNode> found(ProgramEnd outcome, Duration limit) {
    return switch (outcome) {
      case ProgramEnd.Ended(int exit, byte[] stdout, String stderr) ->
          exit == 0 ? items(stdout) : refused(exit, stderr);
      case ProgramEnd.TimedOut() ->
          throw failure(
              Category.UNREACHABLE,
              "took longer than "
                  + limit.toMillis()
                  + " ms and was ended with all that it started; "
                  + (limit.equals(config.timeout())
                      ? "raise subprocess.timeout or narrow sources[].query"
                      : "narrow sources[].query or raise poll.request"));
      case ProgramEnd.Flooded(long most) ->
          throw failure(
              Category.MALFORMED,
              "wrote more than " + most + " bytes and was ended; narrow sources[].query");
      case ProgramEnd.NotStarted() ->
          throw failure(
              Category.NOT_FOUND,
              "cannot be started; install the Azure CLI or set sources[].program");
    };
  }

  /** The items in az's output; az writes nothing at all when it found none. */
  private Found<JsonNode> items(byte[] stdout) {
    String text = utf8(stdout).strip();
    var items = new ArrayList<JsonNode>();
    if (!text.isEmpty()) {
      JsonNode answer = parsed(text);
      if (!answer.isArray()) {
        throw failure(Category.MALFORMED, "wrote no list of items; run it by hand to see what");
      }
      answer.forEach(items::add);
    }
    return items.size() < MOST_FOUND
        ? new Found.All<>(items, null)
        : new Found.TooMuch<>(
            config.key() + ": az gives no more than " + MOST_FOUND + " items", false);
  }

  private JsonNode parsed(String text) {
    try {
      return RecordJson.parse(text);
    } catch (UnreadableRecord e) {
      throw failure(Category.MALFORMED, "wrote no JSON; run it by hand to see what");
    }
  }

  private String utf8(byte[] stdout) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(stdout)).toString();
    } catch (CharacterCodingException e) {
      throw failure(Category.MALFORMED, "wrote something else than UTF-8; set its locale to UTF-8");
    }
  }

  private Found<JsonNode> refused(int exit, String stderr) {
    String said = AsciiLine.part(stderr);
    Optional<Found<JsonNode>> tooMuch = Found.rejected(config.key(), said);
    if (tooMuch.isPresent()) {
      return tooMuch.get();
    }
    AzRefusal refusal = AzRefusal.of(stderr);
    throw failure(
        refusal.category(),
        "ended with " + exit + ": " + (said.isEmpty() ? "no word" : said) + "; " + refusal.mend());
  }

  private SourceFailure failure(Category category, String what) {
    return new SourceFailure(
        category, config.key() + ": " + AsciiLine.part(config.program()) + " " + what);
  }
}
