package dev.flyball.runner.queue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.contract.text.OneLine;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The part of a request that the index keeps, read without building the rest: a runner that starts
 * may have a million of them to read.
 *
 * @param request the request's id
 * @param priority 1 is first
 * @param sinceMs when the item began to wait, epoch milliseconds
 * @param provider scope of rate limits, null if none
 * @param profile the agent that it asks for, null for the default one
 * @param polledBy the source that read the item, null if that is the item's own
 */
public record RequestHead(
    String request,
    int priority,
    long sinceMs,
    @Nullable String provider,
    @Nullable String profile,
    @Nullable String polledBy) {
  private static final JsonFactory JSON = new JsonFactory();

  /** Most characters of an id or a provider; a claim, which repeats them, accepts no more. */
  private static final int LONGEST = 1_000;

  /**
   * Reads a request's record.
   *
   * @throws UnreadableRecord if it is no request
   */
  public static RequestHead read(byte[] value) {
    String request = "";
    int priority = 0;
    Long sinceMs = null;
    String provider = null;
    String profile = null;
    String polledBy = null;
    try (JsonParser parser = JSON.createParser(value)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new UnreadableRecord("not a SessionRequest: no JSON object");
      }
      for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
        parser.nextToken();
        switch (name) {
          case "request" -> request = parser.getValueAsString("");
          case "priority" -> priority = parser.getValueAsInt();
          case "since" -> sinceMs = Instant.parse(parser.getValueAsString("")).toEpochMilli();
          case "provider" -> provider = parser.getValueAsString();
          case "profile" -> profile = parser.getValueAsString();
          case "snapshot" -> polledBy = polledBy(parser);
          default -> parser.skipChildren();
        }
      }
    } catch (IOException | DateTimeException | ArithmeticException e) {
      // ArithmeticException: an instant may be too far away to express in milliseconds.
      throw new UnreadableRecord("not a SessionRequest: " + OneLine.first(e.getMessage()));
    }
    if (request.isBlank() || sinceMs == null) {
      throw new UnreadableRecord("not a SessionRequest: request or since is missing");
    }
    if (request.length() > LONGEST || tooLong(provider) || tooLong(profile) || tooLong(polledBy)) {
      throw new UnreadableRecord(
          "not a SessionRequest: request, provider, profile or source is longer than "
              + LONGEST
              + " characters");
    }
    return new RequestHead(request, priority, sinceMs, provider, profile, polledBy);
  }

  private static @Nullable String polledBy(JsonParser parser) throws IOException {
    String found = null;
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      return null;
    }
    for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
      parser.nextToken();
      if (name.equals("polledBy")) {
        found = parser.getValueAsString();
      }
      parser.skipChildren();
    }
    return found;
  }

  private static boolean tooLong(@Nullable String name) {
    return name != null && name.length() > LONGEST;
  }
}
