package dev.flyball.runner.agent;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What all JSON-lines agents have in common: one object with a {@code type} on each line, from a
 * program that nobody vouches for. Lines that are no such object mean nothing.
 */
final class StreamJson {
  /** Figures beyond these are nonsense, and sums of them must not overflow. */
  private static final long MAX_USD = 1_000_000;

  private static final long MAX_TOKENS = 1_000_000_000_000L;

  private StreamJson() {}

  /** The line as an object with a {@code type}, empty if it is none. */
  static Optional<JsonNode> object(String line) {
    if (!line.startsWith("{")) {
      return Optional.empty();
    }
    try {
      JsonNode node = RecordJson.parse(line);
      return node.isObject() && node.path("type").isTextual()
          ? Optional.of(node)
          : Optional.empty();
    } catch (UnreadableRecord e) {
      return Optional.empty();
    }
  }

  /** The word that says what an object is. */
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

  /** A count of tokens; 0 for nonsense. */
  static long tokens(JsonNode count) {
    return Math.clamp(count.asLong(), 0, MAX_TOKENS);
  }

  /** A text field, null if it is none. */
  static @Nullable String textOrNull(JsonNode node, String name) {
    return node.path(name).isTextual() ? node.path(name).asText() : null;
  }
}
