package dev.flyball.tracker.http;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.net.http.HttpHeaders;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Optional;

/**
 * The pause that an answer's headers ask for. Several trackers announce it before they reject
 * requests: how much of a limit is left, and when it is full again. The last fiftieth is left to
 * other users of the same account.
 *
 * <p>Sources: RFC 9110 (Retry-After), GitHub's and Azure DevOps' pages on rate limits
 * (X-RateLimit-*, Reset in epoch seconds), Jira Cloud's (Reset as an ISO date), Linear's (of
 * requests and of their complexity, Reset in epoch milliseconds), and the IETF draft of RateLimit-*
 * (Reset in seconds from now).
 */
public record RateHeaders(HttpHeaders headers, Instant now) {
  /** Longer than any tracker's window; a larger value is a mistake. */
  static final Duration MOST = Duration.ofHours(1);

  private static final List<String> FAMILIES =
      List.of("X-RateLimit-", "RateLimit-", "X-RateLimit-Requests-", "X-RateLimit-Complexity-");
  private static final BigDecimal RESERVE = BigDecimal.valueOf(50);
  private static final BigDecimal EPOCH_SECONDS_FROM = BigDecimal.valueOf(1_000_000_000L);
  private static final BigDecimal EPOCH_MILLIS_FROM = BigDecimal.valueOf(1_000_000_000_000L);

  /** The longest of the pauses that they ask for, zero if none. */
  public Duration pause() {
    Duration pause = max(retryAfter(), seconds("X-RateLimit-Delay"));
    for (String family : FAMILIES) {
      if (nearlyUsedUp(family)) {
        pause = max(pause, untilReset(family));
      }
    }
    return pause;
  }

  /** Whether they say that this very request exceeded the limit. */
  boolean refuse() {
    return !retryAfter().isZero()
        || FAMILIES.stream()
            .anyMatch(family ->
                number(family + "Remaining").filter(left -> left.signum() <= 0).isPresent());
  }

  private Duration retryAfter() {
    return number("Retry-After").isPresent()
        ? seconds("Retry-After")
        : until("Retry-After", DateTimeFormatter.RFC_1123_DATE_TIME);
  }

  private boolean nearlyUsedUp(String family) {
    Optional<BigDecimal> left = number(family + "Remaining");
    BigDecimal limit = number(family + "Limit").orElse(BigDecimal.ZERO);
    return left.isPresent() && left.get().multiply(RESERVE).compareTo(limit) <= 0;
  }

  private Duration untilReset(String family) {
    Optional<BigDecimal> number = number(family + "Reset");
    if (number.isEmpty()) {
      return until(family + "Reset", DateTimeFormatter.ISO_OFFSET_DATE_TIME);
    }
    BigDecimal value = number.get();
    if (value.compareTo(EPOCH_SECONDS_FROM) < 0) {
      return bounded(value);
    }
    BigDecimal seconds = value.compareTo(EPOCH_MILLIS_FROM) < 0 ? value : value.movePointLeft(3);
    return bounded(seconds.subtract(BigDecimal.valueOf(now.getEpochSecond())));
  }

  /** The time until a header's date; zero where it has none. */
  private Duration until(String name, DateTimeFormatter format) {
    try {
      return headers
          .firstValue(name)
          .map(date -> Instant.from(format.parse(date.strip())))
          .map(at -> bounded(Duration.between(now, at)))
          .orElse(Duration.ZERO);
    } catch (DateTimeException e) {
      return Duration.ZERO;
    }
  }

  private Duration seconds(String name) {
    return number(name).map(RateHeaders::bounded).orElse(Duration.ZERO);
  }

  /** A header that is a number as trackers write them: digits, perhaps a fraction. */
  private Optional<BigDecimal> number(String name) {
    return headers
        .firstValue(name)
        .map(String::strip)
        .filter(value -> value.matches("-?[0-9]{1,40}(\\.[0-9]{1,20})?"))
        .map(BigDecimal::new);
  }

  private static Duration bounded(BigDecimal seconds) {
    return bounded(
        Duration.ofSeconds(
            seconds
                .setScale(0, RoundingMode.CEILING)
                .min(BigDecimal.valueOf(MOST.toSeconds()))
                .max(BigDecimal.ZERO)
                .longValueExact()));
  }

  private static Duration bounded(Duration pause) {
    return pause.isNegative() ? Duration.ZERO : pause.compareTo(MOST) > 0 ? MOST : pause;
  }

  static Duration max(Duration one, Duration other) {
    return one.compareTo(other) >= 0 ? one : other;
  }
}
