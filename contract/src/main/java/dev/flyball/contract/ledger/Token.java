package dev.flyball.contract.ledger;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/**
 * The fencing token of an effective claim: the ledger's topic id and the claim's offset. Tokens of
 * one topic id are ordered by offset.
 */
public record Token(String topicId, long offset) {

  /** Reads {@code topicId:offset}. */
  @JsonCreator
  public static Token parse(String text) {
    int colon = text.lastIndexOf(':');
    if (colon < 1) {
      throw new IllegalArgumentException("'" + text + "' is not topicId:offset");
    }
    return new Token(text.substring(0, colon), Long.parseLong(text.substring(colon + 1)));
  }

  @JsonValue
  @Override
  public String toString() {
    return topicId + ":" + offset;
  }
}
