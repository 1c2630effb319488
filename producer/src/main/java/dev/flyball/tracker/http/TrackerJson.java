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
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.util.ClassUtil;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads a tracker's JSON, which is not trusted. Peak memory is the body of at most 64 MB and the
 * tree beside it: as much again for texts (twice that where a text has a letter beyond Latin-1),
 * and some 50 bytes for each of at most two million tokens. Measured: 64 MB of text are read in a
 * heap of 160 MB, of 256 MB with such letters.
 */
public final class TrackerJson {
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
                          .maxStringLength((int) BoundedBody.MOST)
                          .build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .withConfigOverride(String.class, text -> text.setSetterInfo(EMPTY_IF_ABSENT))
          .withConfigOverride(List.class, list -> list.setSetterInfo(EMPTY_IF_ABSENT))
          .addHandler(new OtherShape())
          .build();

  private TrackerJson() {}

  /** Reads a whole body; a missing node for an empty one. */
  static JsonNode read(RawResponse received) throws Unreadable {
    if (received.isEmpty()) {
      return MissingNode.getInstance();
    }
    // A separate decoder: the parser's accepts some invalid bytes, and String's accepts all of
    // them.
    try (Reader text =
        new InputStreamReader(received.body(), StandardCharsets.UTF_8.newDecoder())) {
      return MAPPER.readTree(text);
    } catch (CharacterCodingException e) {
      throw new Unreadable("is not UTF-8", false);
    } catch (StreamConstraintsException e) {
      throw new Unreadable("is nested too deep or has too many values", false);
    } catch (JsonEOFException e) {
      throw new Unreadable("breaks off before its end", !received.endIsSure());
    } catch (JsonProcessingException e) {
      throw new Unreadable("is no JSON", false);
    } catch (IOException e) {
      throw new Unreadable("cannot be read", false);
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

  /** What is wrong with a body. */
  static final class Unreadable extends Exception {
    private static final long serialVersionUID = 1L;

    private final boolean cut;

    Unreadable(String what, boolean cut) {
      super(what);
      this.cut = cut;
    }

    /** Whether the connection may have ended before the body did. */
    boolean cut() {
      return cut;
    }
  }
}
