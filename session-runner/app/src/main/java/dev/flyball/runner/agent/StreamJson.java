package dev.flyball.runner.agent;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The common part of all JSON-lines agents: one object with a {@code type} on each line, from an
 * untrusted program. Lines that are no such object mean nothing.
 */
final class StreamJson {
  /** Figures beyond these are nonsense, and sums of them must not overflow. */
  private static final long MAX_USD = 1_000_000;

  private static final long MAX_TOKENS = 1_000_000_000_000L;

  /**
   * A line of more values means nothing: a megabyte of empty objects would cost a hundred megabytes
   * of memory.
   */
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

  private StreamJson() {}

  /** The line as an object with a {@code type}, empty if it is none. */
  static Optional<JsonNode> object(String line) {
    return anyObject(line).filter(node -> node.path("type").isTextual());
  }

  /**
   * The text as one object of any kind, empty if it is none. A byte order mark and blanks before it
   * mean nothing.
   */
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
    double value = usd.isNumber() ? usd.asDouble() : 0;
    if (!(value > 0)) {
      return 0;
    }
    if (value > MAX_USD) {
      return MAX_USD * 1_000_000;
    }
    return new BigDecimal(usd.asText())
        .movePointRight(6)
        .setScale(0, RoundingMode.CEILING)
        .longValue();
  }

  /** The number of tokens; 0 for nonsense. */
  static long tokens(JsonNode count) {
    return Math.clamp(count.asLong(), 0, MAX_TOKENS);
  }

  /** A text field, null if it is none. */
  static @Nullable String textOrNull(JsonNode node, String name) {
    return node.path(name).isTextual() ? node.path(name).asText() : null;
  }
}
