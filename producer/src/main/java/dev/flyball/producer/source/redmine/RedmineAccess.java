package dev.flyball.producer.source.redmine;

import dev.flyball.producer.source.Leave;
import dev.flyball.producer.source.Token;
import dev.flyball.producer.source.http.TrackerHttp;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
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
  private final InstantSource clock;
  private Instant known = Instant.EPOCH;

  RedmineAccess(TrackerHttp http, Token token, InstantSource clock) {
    this.http = http;
    this.token = token;
    this.clock = clock;
  }

  /** Asks if the last answer is old. */
  void check(Leave leave) {
    if (!clock.instant().isBefore(known.plus(KNOWN))) {
      checkNow(leave);
    }
  }

  /**
   * Asks.
   *
   * @throws dev.flyball.producer.source.SourceFailure if Redmine does not know us
   */
  void checkNow(Leave leave) {
    if (!(token instanceof Token.None)) {
      var _ = http.get("/users/current.json", Map.of(), Set.of(), leave);
      known = clock.instant();
    }
  }
}
