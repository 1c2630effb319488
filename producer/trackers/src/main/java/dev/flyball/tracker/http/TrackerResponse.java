package dev.flyball.tracker.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpHeaders;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;

/**
 * A tracker's answer to one request.
 *
 * @param status 200 to 299, 304, or one of the further statuses that the caller expects
 * @param json the body; a missing node where there is none
 * @param retryAfter the pause that the tracker asks for by this answer's headers, zero if it asks
 *     for none
 */
public record TrackerResponse(int status, HttpHeaders headers, JsonNode json, Duration retryAfter) {

  /**
   * When the answer was made: by the tracker's clock if it says so, because changes are stamped by
   * it; else by ours.
   */
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
