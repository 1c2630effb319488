package dev.flyball.tracker.jira;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.http.Tokens;
import dev.flyball.tracker.http.TrackerHttp;
import dev.flyball.tracker.http.TrackerLimits;
import dev.flyball.tracker.http.TrackerResponse;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * How we log in to Jira, and how Jira shows that it does not accept that.
 *
 * <p>Sources: MrRefactoring/jira.js#418 with the header of such an answer, n8n-io/n8n#16325.
 */
final class JiraLogin {
  private JiraLogin() {}

  /** How issues and comments are requested; the token is read again for each request. */
  static TrackerHttp http(SourceConfig.Jira config, InstantSource clock, TrackerLimits limits) {
    return new TrackerHttp(
        config.url(),
        () -> Tokens.header(config.token(), "Authorization", token -> header(config.user(), token)),
        clock,
        limits);
  }

  private static String header(@Nullable String user, String token) {
    byte[] pair = (user + ":" + token).getBytes(StandardCharsets.UTF_8);
    return user == null ? "Bearer " + token : "Basic " + Base64.getEncoder().encodeToString(pair);
  }

  /**
   * Asks whether there is any project that we can see.
   *
   * @throws SourceFailure if there is none
   */
  static void check(TrackerHttp http, RequestPermission permission) {
    String path = "/rest/api/3/mypermissions?permissions=BROWSE_PROJECTS";
    TrackerResponse answer = http.get(path, permission);
    check(answer);
    JsonNode sees = answer.json().at("/permissions/BROWSE_PROJECTS/havePermission");
    if (!sees.asBoolean(true)) {
      throw refused("sees no project");
    }
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
