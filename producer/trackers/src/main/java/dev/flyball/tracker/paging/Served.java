package dev.flyball.tracker.paging;

import java.net.http.HttpHeaders;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;

/** When answers were made. Pure. */
public final class Served {
  private Served() {}

  /**
   * When the answer was made: by the tracker's clock if it says so, because changes are stamped by
   * it; else by ours.
   */
  public static Instant at(HttpHeaders headers, Instant now) {
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
