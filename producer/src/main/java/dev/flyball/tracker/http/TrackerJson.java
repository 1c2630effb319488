package dev.flyball.tracker.http;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.deser.DeserializationProblemHandler;
import com.fasterxml.jackson.databind.deser.ValueInstantiator;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.util.ClassUtil;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a tracker's JSON, which is not trusted, while it comes in. Peak memory is the tree: at most
 * 64 MB of text (twice that where a text has a letter beyond Latin-1), and some 50 bytes for each
 * of at most two million tokens.
 */
public final class TrackerJson {
  /** Largest body that is read, in characters. */
  private static final long MOST = 64L << 20;

  private static final int MAX_NESTING = 500;
  private static final long MAX_TOKENS = 2_000_000;

  private static final JsonSetter.Value EMPTY_IF_ABSENT =
      JsonSetter.Value.construct(Nulls.AS_EMPTY, Nulls.SKIP);

  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(MAX_NESTING)
                          .maxTokenCount(MAX_TOKENS)
                          .maxDocumentLength(MOST)
                          .maxStringLength((int) MOST)
                          .build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .withConfigOverride(String.class, text -> text.setSetterInfo(EMPTY_IF_ABSENT))
          .withConfigOverride(List.class, list -> list.setSetterInfo(EMPTY_IF_ABSENT))
          .addHandler(new OtherShape())
          .build();

  private TrackerJson() {}

  /**
   * Reads a body to its end.
   *
   * @throws IOException if the connection ends before the body does
   */
  static JsonNode read(InputStream body) throws IOException, Unreadable {
    try {
      // A separate decoder: the parser's accepts some invalid bytes, and String's accepts all of
      // them.
      return MAPPER.readTree(new InputStreamReader(body, StandardCharsets.UTF_8.newDecoder()));
    } catch (CharacterCodingException e) {
      throw new Unreadable("is not UTF-8");
    } catch (StreamConstraintsException e) {
      throw new Unreadable(
          "has more than " + (MOST >> 20) + " MB, is nested too deep or has too many values");
    } catch (JsonEOFException e) {
      throw new Unreadable("breaks off before its end");
    } catch (JsonProcessingException e) {
      throw new Unreadable("is no JSON");
    }
  }

  /**
   * Reads a part of an answer as a record. A field that is absent, null or of another shape is
   * empty if it is a text or a list, zero or false if it is a primitive, else null; such an entry
   * of a list is skipped, or empty if it is a text. A field that is read as JSON may be a null
   * node. All fields are absent if the part is no object, or has a number that has no room in its
   * field.
   */
  public static <T extends Record> T read(JsonNode part, Class<T> type) {
    try {
      return MAPPER.treeToValue(part.isObject() ? part : MAPPER.createObjectNode(), type);
    } catch (JsonProcessingException e) {
      return MAPPER.convertValue(MAPPER.createObjectNode(), type);
    }
  }

  /** The text at a JSON pointer; empty for anything else. */
  public static String text(JsonNode json, String at) {
    JsonNode text = json.at(at);
    return text.isTextual() ? text.asText() : "";
  }

  /** The number at a JSON pointer as an item's id; empty for anything else. */
  public static String number(JsonNode json, String at) {
    JsonNode number = json.at(at);
    return number.canConvertToLong() && number.asLong() > 0 ? Long.toString(number.asLong()) : "";
  }

  /** The texts of a list, or those in a field of its entries. */
  public static List<String> texts(JsonNode list, String field) {
    return list.valueStream()
        .map(one -> one.isTextual() ? one : one.path(field))
        .filter(JsonNode::isTextual)
        .map(JsonNode::asText)
        .toList();
  }

  /** The fields from which a record is read, in its order. */
  public static List<String> fields(Class<? extends Record> type) {
    return Arrays.stream(type.getRecordComponents())
        .map(field -> {
          JsonProperty named = field.getAccessor().getAnnotation(JsonProperty.class);
          return named == null ? field.getName() : named.value();
        })
        .toList();
  }

  /** Reads a field of another shape as if it were absent: the other fields still count. */
  private static final class OtherShape extends DeserializationProblemHandler {
    @Override
    public @Nullable Object handleUnexpectedToken(
        DeserializationContext context,
        JavaType type,
        JsonToken token,
        JsonParser parser,
        String problem)
        throws IOException {
      parser.skipChildren();
      return absent(type.getRawClass());
    }

    @Override
    public @Nullable Object handleMissingInstantiator(
        DeserializationContext context,
        Class<?> type,
        ValueInstantiator instantiator,
        JsonParser parser,
        String problem)
        throws IOException {
      parser.skipChildren();
      return absent(type);
    }

    @Override
    public @Nullable Object handleWeirdStringValue(
        DeserializationContext context, Class<?> type, String value, String problem) {
      return absent(type);
    }

    private static @Nullable Object absent(Class<?> type) {
      if (List.class.isAssignableFrom(type)) {
        return new ArrayList<>();
      }
      return type.isPrimitive() ? ClassUtil.defaultValue(type) : type == String.class ? "" : null;
    }
  }

  static final class Unreadable extends Exception {
    private static final long serialVersionUID = 1L;

    Unreadable(String what) {
      super(what);
    }
  }
}
