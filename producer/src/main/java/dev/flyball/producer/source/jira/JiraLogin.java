package dev.flyball.producer.source.jira;

import dev.flyball.producer.source.Failure.Category;
import dev.flyball.producer.source.Leave;
import dev.flyball.producer.source.SourceFailure;
import dev.flyball.producer.source.Token;
import dev.flyball.producer.source.http.Answer;
import dev.flyball.producer.source.http.TrackerHttp;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;

/**
 * Whether Jira still knows who we are. It may take a request with an expired token for one of
 * nobody and find nothing: issues would be missing, or all of them gone, and nothing would say so.
 *
 * <p>Sources: MrRefactoring/jira.js#418 with the header of such an answer, n8n-io/n8n#16325.
 */
final class JiraLogin {
  /** How long an answer counts. */
  private static final Duration KNOWN = Duration.ofHours(1);

  private final TrackerHttp http;
  private final Token token;
  private final InstantSource clock;

  /** Written and read by the one polling thread. */
  private Instant known = Instant.MIN;

  JiraLogin(TrackerHttp http, Token token, InstantSource clock) {
    this.http = http;
    this.token = token;
    this.clock = clock;
  }

  /** Asks if the last answer is old. */
  void check(Leave leave) {
    if (clock.instant().minus(KNOWN).isAfter(known)) {
      checkNow(leave);
    }
  }

  /**
   * Asks whether there is any project that we may see.
   *
   * @throws SourceFailure if there is none
   */
  void checkNow(Leave leave) {
    if (token instanceof Token.None) {
      return;
    }
    Answer answer =
        http.get(
            "/rest/api/3/mypermissions?permissions=BROWSE_PROJECTS", Map.of(), Set.of(), leave);
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

  /** Refuses an answer that says of itself that it is nobody's. */
  static void check(Answer answer) {
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
