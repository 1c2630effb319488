package dev.flyball.producer.source.redmine;

import dev.flyball.producer.source.Failure.Category;
import dev.flyball.producer.source.Leave;
import dev.flyball.producer.source.SourceFailure;
import dev.flyball.producer.source.Token;
import dev.flyball.producer.source.http.TrackerHttp;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Whether Redmine still knows who we are. It takes a request with a wrong key for one of nobody,
 * and answers with what everybody may read: issues would be missing and nothing would say so.
 */
final class RedmineAccess {
  /** How long an answer counts. */
  private static final Duration KNOWN = Duration.ofHours(1);

  private final TrackerHttp http;
  private final Token token;

  /** By the clock that nobody sets back. */
  private Optional<Long> known = Optional.empty();

  RedmineAccess(TrackerHttp http, Token token) {
    this.http = http;
    this.token = token;
  }

  /** Asks if the last answer is old. */
  void check(Leave leave) {
    if (known.filter(at -> System.nanoTime() - at < KNOWN.toNanos()).isEmpty()) {
      checkNow(leave);
    }
  }

  /**
   * Asks.
   *
   * @throws SourceFailure if Redmine does not know us
   */
  void checkNow(Leave leave) {
    if (!(token instanceof Token.None)) {
      var me = http.get("/users/current.json", Map.of(), Set.of(), leave).json();
      if (me.path("user").path("id").asLong() == 0) {
        throw new SourceFailure(
            Category.MALFORMED,
            "redmine: an answer to /users/current.json names no user; is the url that of Redmine?");
      }
      known = Optional.of(System.nanoTime());
    }
  }
}
