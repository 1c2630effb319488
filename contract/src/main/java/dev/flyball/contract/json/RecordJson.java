package dev.flyball.contract.json;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import dev.flyball.contract.text.OneLine;
import java.io.IOException;
import java.io.InputStream;

/**
 * Records as one-line JSON. Unknown properties are ignored, so that an older reader survives a
 * newer writer. Missing primitives and wrong shapes are rejected.
 */
public final class RecordJson {
  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .addModule(new JavaTimeModule())
          .addModule(new Jdk8Module())
          .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .defaultPropertyInclusion(
              JsonInclude.Value.construct(JsonInclude.Include.NON_NULL, JsonInclude.Include.ALWAYS))
          .build();

  private RecordJson() {}

  /** Writes one line of JSON. */
  public static String write(Object value) {
    try {
      return MAPPER.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("cannot write " + value.getClass().getName(), e);
    }
  }

  /** Writes one line of JSON, UTF-8. */
  public static byte[] bytes(Object value) {
    try {
      return MAPPER.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("cannot write " + value.getClass().getName(), e);
    }
  }

  /**
   * Reads a record.
   *
   * @throws UnreadableRecord if the text is not JSON or not of that shape
   */
  public static <T> T read(String json, Class<T> type) {
    try {
      return present(MAPPER.readValue(json, type), type);
    } catch (JsonProcessingException e) {
      throw unreadable(e, type);
    }
  }

  /**
   * Reads a record.
   *
   * @throws UnreadableRecord if the bytes are not JSON or not of that shape
   */
  public static <T> T read(byte[] json, Class<T> type) {
    try {
      return present(MAPPER.readValue(json, type), type);
    } catch (JsonProcessingException e) {
      throw unreadable(e, type);
    } catch (IOException e) {
      throw new UnreadableRecord("not a " + type.getSimpleName() + ": " + e.getMessage());
    }
  }

  /** Converts a value to a tree. */
  public static JsonNode tree(Object value) {
    return MAPPER.valueToTree(value);
  }

  /**
   * Converts a tree to a value.
   *
   * @throws UnreadableRecord if it has another shape
   */
  public static <T> T fromTree(JsonNode node, Class<T> type) {
    try {
      return present(MAPPER.treeToValue(node, type), type);
    } catch (JsonProcessingException e) {
      throw unreadable(e, type);
    }
  }

  /**
   * Parses any JSON value.
   *
   * @throws UnreadableRecord if it is not JSON
   */
  public static JsonNode parse(String json) {
    try {
      return present(MAPPER.readTree(json), JsonNode.class);
    } catch (JsonProcessingException e) {
      throw unreadable(e, JsonNode.class);
    }
  }

  /** Reads values one after another, by {@link #value}; closing it leaves the stream open. */
  public static JsonParser parser(InputStream json) throws IOException {
    return MAPPER.createParser(json).disable(JsonParser.Feature.AUTO_CLOSE_SOURCE);
  }

  /** The value that begins with the parser's current token, whatever follows it. */
  public static JsonNode value(JsonParser json) throws IOException {
    return MAPPER
        .readerFor(JsonNode.class)
        .without(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
        .readValue(json);
  }

  private static <T> T present(T value, Class<T> type) {
    if (value == null) {
      throw new UnreadableRecord("not a " + type.getSimpleName() + ": null");
    }
    return value;
  }

  private static UnreadableRecord unreadable(JsonProcessingException e, Class<?> type) {
    if (type == JsonNode.class) {
      return new UnreadableRecord(notJson(e));
    }
    String message = e.getOriginalMessage();
    String reason = message == null ? "unreadable" : OneLine.of(message, 300);
    return new UnreadableRecord("not a " + type.getSimpleName() + ": " + reason);
  }

  /** Names the place of the error for people who write JSON by hand, without the parser's terms. */
  private static String notJson(JsonProcessingException e) {
    if (e instanceof JsonEOFException) {
      return "not JSON: it ends too early";
    }
    return e.getLocation() == null
        ? "not JSON"
        : "not JSON: look around character " + e.getLocation().getColumnNr();
  }
}
