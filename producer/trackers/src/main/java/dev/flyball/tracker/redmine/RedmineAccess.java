package dev.flyball.tracker.redmine;

import dev.flyball.tracker.Credential;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.http.TrackerHttp;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Checks whether Redmine still accepts our key. Redmine treats a request with a wrong key as
 * anonymous and answers with public content: issues would be missing silently.
 */
final class RedmineAccess {
  /** How long a successful check is valid. */
  private static final Duration KNOWN = Duration.ofHours(1);

  private final TrackerHttp http;
  private final Credential token;

  /** When the key was last checked, by the monotonic clock. */
  private Optional<Long> known = Optional.empty();

  RedmineAccess(TrackerHttp http, Credential token) {
    this.http = http;
    this.token = token;
  }

  /** Checks the key if the last check is too old. */
  void check(RequestPermission permission) {
    if (known.filter(at -> System.nanoTime() - at < KNOWN.toNanos()).isEmpty()) {
      checkNow(permission);
    }
  }

  /**
   * Checks the key now.
   *
   * @throws SourceFailure if Redmine does not accept it
   */
  void checkNow(RequestPermission permission) {
    if (!(token instanceof Credential.None)) {
      var me = http.get("/users/current.json", Map.of(), Set.of(), permission).json();
      if (me.path("user").path("id").asLong() == 0) {
        throw new SourceFailure(
            Category.MALFORMED,
            "redmine: an answer to /users/current.json names no user; is the url that of Redmine?");
      }
      known = Optional.of(System.nanoTime());
    }
  }
}
