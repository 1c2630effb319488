package dev.flyball.scout;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.flyball.contract.session.Analysis.Passage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of scout.
 *
 * @param text for a person
 * @param places the part of it that names the best files, each with its lines and why
 * @param files at most {@link Scout#MAX_PASSAGES} passages, best first
 * @param commit the repository's head, null if there is none
 * @param confidence how clearly the best file ranks first
 */
record ScoutAnswer(
    String text,
    List<String> places,
    List<Passage> files,
    @Nullable String commit,
    Confidence confidence) {
  private static final JsonFactory JSON = new JsonFactory();

  /** How clearly the best file ranks first. */
  enum Confidence {
    /** The item names a file, or the best file contains most of the item's terms. */
    HIGH,
    /** The best files contain some of the item's words, not more. */
    MEDIUM,
    LOW
  }

  /** The first line of output: it identifies the agent. */
  static byte[] initLine(String session) throws IOException {
    return line(json -> {
      begin(json, "system", "init", session);
      json.writeArrayFieldStart("tools");
      json.writeEndArray();
    });
  }

  /** The last line of output: the answer. */
  byte[] resultLine(String session) throws IOException {
    return line(json -> {
      result(json, session, text, false);
      json.writeArrayFieldStart("files");
      for (Passage passage : files) {
        json.writeStartObject();
        json.writeStringField("path", passage.path());
        json.writeNumberField("fromLine", passage.fromLine());
        json.writeNumberField("toLine", passage.toLine());
        json.writeStringField("excerpt", passage.excerpt());
        json.writeEndObject();
      }
      json.writeEndArray();
      json.writeStringField("commit", commit);
    });
  }

  /** The last line of output when there is no answer. */
  static byte[] errorLine(String session, String reason) throws IOException {
    return line(json -> result(json, session, reason, true));
  }

  private static void result(JsonGenerator json, String session, String text, boolean error)
      throws IOException {
    begin(json, "result", error ? "error_during_execution" : "success", session);
    json.writeBooleanField("is_error", error);
    json.writeNumberField("num_turns", 1);
    json.writeNumberField("total_cost_usd", 0);
    json.writeObjectFieldStart("usage");
    json.writeNumberField("input_tokens", 0);
    json.writeNumberField("output_tokens", 0);
    json.writeNumberField("cache_read_input_tokens", 0);
    json.writeEndObject();
    json.writeStringField("result", text);
  }

  private static void begin(JsonGenerator json, String type, String subtype, String session)
      throws IOException {
    json.writeStringField("type", type);
    json.writeStringField("subtype", subtype);
    json.writeStringField("session_id", session);
  }

  private interface Fields {
    void write(JsonGenerator json) throws IOException;
  }

  private static byte[] line(Fields fields) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (JsonGenerator json = JSON.createGenerator(bytes)) {
      json.writeStartObject();
      fields.write(json);
      json.writeEndObject();
    }
    bytes.write('\n');
    return bytes.toByteArray();
  }
}
