package dev.flyball.tracker.jira;

import dev.flyball.tracker.Credential;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.http.TrackerHttp;
import dev.flyball.tracker.http.TrackerResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;

/**
 * Checks whether Jira still accepts our login. Jira may treat a request with an expired token as
 * anonymous and find nothing: issues would be missing, or all would look deleted, silently.
 *
 * <p>Sources: MrRefactoring/jira.js#418 with the header of such an answer, n8n-io/n8n#16325.
 */
final class JiraLogin {
  /** How long a successful check is valid. */
  private static final Duration KNOWN = Duration.ofHours(1);

  private final TrackerHttp http;
  private final Credential token;
  private final InstantSource clock;

  /** When the login was last checked; written and read by the one polling thread. */
  private Instant known = Instant.MIN;

  JiraLogin(TrackerHttp http, Credential token, InstantSource clock) {
    this.http = http;
    this.token = token;
    this.clock = clock;
  }

  /** Checks the login if the last check is too old. */
  void check(RequestPermission permission) {
    if (clock.instant().minus(KNOWN).isAfter(known)) {
      checkNow(permission);
    }
  }

  /**
   * Asks whether there is any project that we can see.
   *
   * @throws SourceFailure if there is none
   */
  void checkNow(RequestPermission permission) {
    if (token instanceof Credential.None) {
      return;
    }
    TrackerResponse answer =
        http.get(
            "/rest/api/3/mypermissions?permissions=BROWSE_PROJECTS",
            Map.of(),
            Set.of(),
            permission);
    check(answer);
    boolean sees =
        answer
            .json()
            .path("permissions")
            .path("BROWSE_PROJECTS")
            .path("havePermission")
            .asBoolean(true);
    if (!sees) {
      throw refused("sees no project");
    }
    known = clock.instant();
  }

  /** Fails if an answer's headers say that the login was not accepted. */
  static void check(TrackerResponse answer) {
    boolean failed =
        answer.headers().allValues("X-Seraph-LoginReason").stream()
            .anyMatch(reason -> reason.contains("FAILED") || reason.contains("DENIED"));
    if (failed) {
      throw refused("is not let in");
    }
  }

  private static SourceFailure refused(String what) {
    return new SourceFailure(
        Category.AUTH,
        "Jira: the account " + what + "; its token may have expired, or lacks Browse Projects");
  }
}
