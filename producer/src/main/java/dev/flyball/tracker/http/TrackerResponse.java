package dev.flyball.tracker.http;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.net.http.HttpHeaders;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A tracker's answer to one request.
 *
 * @param status 200 to 299, 304, or one of the further statuses that the caller expects
 * @param json the body; a missing node where there is none
 * @param retryAfter the pause that the tracker asks for by this answer's headers, zero if it asks
 *     for none
 */
public record TrackerResponse(int status, HttpHeaders headers, JsonNode json, Duration retryAfter) {
  private static final Pattern LINK = Pattern.compile("<([^>]*)>((?:[^,<\"]|\"[^\"]*\")*)");
  private static final Pattern NEXT =
      Pattern.compile(";\\s*rel\\s*=\\s*(?:\"(?:[^\"]*\\s)?next(?:\\s[^\"]*)?\"|next\\b)");

  /** The next page as a Link header names it (RFC 8288); null if there is none. */
  public @Nullable String next() {
    return headers.allValues("Link").stream()
        .flatMap(header -> LINK.matcher(header).results())
        .filter(link -> NEXT.matcher(link.group(2)).find())
        .map(link -> link.group(1))
        .findFirst()
        .orElse(null);
  }

  /**
   * The list at this JSON pointer in the answer, which is the answer itself if it is empty. Read as
   * an empty list, any other answer would look as if everything had been deleted.
   *
   * @param otherwise what is wrong if there is none, and what to do
   * @throws SourceFailure if there is none
   */
  public JsonNode list(String at, String otherwise) {
    JsonNode list = json.at(at);
    if (!list.isArray()) {
      throw new SourceFailure(Category.MALFORMED, otherwise);
    }
    return list;
  }

  /** The same list with each entry as a record; absent fields are as {@link TrackerJson#read}. */
  public <T extends Record> List<T> list(String at, Class<T> entry, String otherwise) {
    return list(at, otherwise).valueStream().map(json -> TrackerJson.read(json, entry)).toList();
  }

  /** When the answer was made: by the tracker's clock, which stamps changes, else by ours. */
  public Instant served(Instant now) {
    Instant ours = now.truncatedTo(ChronoUnit.SECONDS);
    try {
      return headers
          .firstValue("Date")
          .map(date -> Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(date)))
          .orElse(ours);
    } catch (DateTimeException e) {
      return ours;
    }
  }
}
