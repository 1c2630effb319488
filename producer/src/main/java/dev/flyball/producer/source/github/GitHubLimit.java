package dev.flyball.producer.source.github;

import dev.flyball.producer.source.http.Answer;
import java.net.http.HttpHeaders;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;

/** What an answer's headers say of the limit. Pure. */
final class GitHubLimit {
  private GitHubLimit() {}

  /**
   * How long GitHub is to be left alone after an answer: until the limit is whole again if this was
   * the last request that it allows, or as long as the answer asks for.
   */
  static Duration pause(Answer answer, Instant now) {
    HttpHeaders headers = answer.headers();
    if (number(headers, "x-ratelimit-remaining") != 0) {
      return answer.retryAfter();
    }
    long reset = number(headers, "x-ratelimit-reset");
    Duration until = Duration.between(served(headers, now), Instant.ofEpochSecond(reset));
    return until.compareTo(answer.retryAfter()) > 0 ? until : answer.retryAfter();
  }

  /** A line for who has to wait in the middle of it. */
  static String usedUp(Duration pause) {
    return "GitHub: the limit is used up; asked again in "
        + pause.toSeconds()
        + "s; a token of its own has a limit of its own";
  }

  /** When the answer was made, by GitHub's clock if it says so: resets and changes count by it. */
  static Instant served(HttpHeaders headers, Instant now) {
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

  private static long number(HttpHeaders headers, String name) {
    try {
      return headers.firstValue(name).map(Long::parseLong).orElse(-1L);
    } catch (NumberFormatException e) {
      return -1;
    }
  }
}
