package dev.flyball.tracker.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Turns an answer into a result or a failure: the one place where statuses become categories. */
record ResponseClassifier(RawResponse received, Exchange exchange, Instant now) {
  /** The shortest pause after GitHub's secondary limit, whatever a header says. */
  static final Duration SHORTEST_SECONDARY = Duration.ofMinutes(1);

  private static final Pattern SIGN_IN =
      Pattern.compile("sign.?in|log.?in|type=.?password", Pattern.CASE_INSENSITIVE);
  private static final Pattern TOO_MANY =
      Pattern.compile("rate.?limit|abuse detection|too many requests", Pattern.CASE_INSENSITIVE);
  private static final String PAGE =
      "answered a web page instead of JSON: is the url right, the token valid?";

  /**
   * The usable answer.
   *
   * @throws SourceFailure if the answer is not usable
   */
  TrackerResponse answer(Set<Integer> expected) {
    int status = received.status();
    if (status == 304) {
      return answer(MissingNode.getInstance());
    }
    if (status / 100 == 2) {
      return answer(json());
    }
    String words = received.message();
    if (status == 429 || (status == 403 && isTooMany(words))) {
      throw tooMany(words);
    }
    if (expected.contains(status)) {
      return answer(jsonIfAny());
    }
    throw refused(words);
  }

  private TrackerResponse answer(JsonNode json) {
    return new TrackerResponse(received.status(), received.headers(), json, pause());
  }

  private JsonNode json() {
    // A body with a status that means "no content" is ignored.
    if (received.status() == 204 || received.status() == 205) {
      return MissingNode.getInstance();
    }
    if (received.isEmpty() && exchange.reads()) {
      // Read as empty JSON, it would be a list without any items.
      throw exchange.failure(
          Category.MALFORMED, "sent an empty answer; check that the url is that of its API");
    }
    if (!received.isEmpty() && received.isPage()) {
      boolean signIn = received.status() == 203 || SIGN_IN.matcher(received.head()).find();
      throw exchange.failure(signIn ? Category.AUTH : Category.MALFORMED, PAGE);
    }
    try {
      return TrackerJson.read(received);
    } catch (TrackerJson.Unreadable e) {
      if (e.cut()) {
        throw exchange.failure(
            Category.UNREACHABLE,
            "broke off its answer; it is asked again later, no action needed");
      }
      throw exchange.failure(
          Category.MALFORMED,
          "answered something that " + e.getMessage() + "; check that the url is that of its API");
    }
  }

  private JsonNode jsonIfAny() {
    try {
      return received.isPage() ? MissingNode.getInstance() : TrackerJson.read(received);
    } catch (TrackerJson.Unreadable e) {
      return MissingNode.getInstance();
    }
  }

  private boolean isTooMany(String words) {
    return new RateHeaders(received.headers(), now).refuse() || TOO_MANY.matcher(words).find();
  }

  private SourceFailure tooMany(String words) {
    Duration pause = pause();
    if (pause.isPositive() && words.toLowerCase(Locale.ROOT).contains("secondary rate limit")) {
      pause = RateHeaders.max(pause, SHORTEST_SECONDARY);
    }
    return exchange.failure(
        Category.RATE_LIMITED,
        said(words)
            + "; rate limited: polls continue "
            + (pause.isPositive() ? "in " + pause.toSeconds() + " s" : "after a pause")
            + "; no action needed, or poll less often",
        pause,
        null);
  }

  private SourceFailure refused(String words) {
    int status = received.status();
    return switch (status) {
      case 401 ->
          failure(
              Category.AUTH,
              said(words) + "; the credential is missing, wrong or expired; provide a valid one");
      case 403 ->
          failure(
              Category.AUTH,
              said(words)
                  + "; the credential has no right to do this; grant it, or use another one");
      case 404, 410 ->
          failure(
              Category.NOT_FOUND,
              said(words) + "; check url and project, and whether the credential may see them");
      case 407 ->
          failure(
              Category.UNREACHABLE,
              said(words) + "; the proxy asks for a password; use a way without one");
      case 408, 425 ->
          failure(
              Category.UNREACHABLE, said(words) + "; it is asked again later, no action needed");
      default ->
          status >= 500
              ? failure(
                  Category.UNREACHABLE,
                  said(words)
                      + "; the server failed: it is asked again later; check the tracker's status"
                      + " page")
              : failure(
                  Category.NOT_FOUND,
                  said(words) + "; it rejects the request: correct url and query");
    };
  }

  private SourceFailure failure(Category category, String what) {
    return exchange.failure(category, what, pause(), null);
  }

  private String said(String words) {
    String quoted = exchange.quoted(words);
    return "answered " + received.status() + (quoted.isEmpty() ? "" : " (" + quoted + ")");
  }

  private Duration pause() {
    return new RateHeaders(received.headers(), now).pause();
  }
}
