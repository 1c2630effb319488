package dev.flyball.tracker.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A complete answer as it was received, and what it means: the one place where statuses become
 * categories. Its body is read as JSON while it comes in, so it is never held as a whole.
 *
 * @param head the beginning of the body, whatever its type
 * @param json the body; a missing node where it is empty or no JSON
 * @param wrong why the body is no JSON; null if it is or is empty
 */
record Received(
    int status, HttpHeaders headers, String head, JsonNode json, @Nullable String wrong) {
  private static final int HEAD = 65_536;
  private static final int MOST_WORDS = 5;

  /** The shortest pause after GitHub's secondary limit, whatever a header says. */
  private static final Duration SHORTEST_SECONDARY = Duration.ofMinutes(1);

  private static final Pattern SIGN_IN =
      Pattern.compile("sign.?in|log.?in|type=.?password", Pattern.CASE_INSENSITIVE);
  private static final Pattern TOO_MANY =
      Pattern.compile("rate.?limit|abuse detection|too many requests", Pattern.CASE_INSENSITIVE);

  /** The fields in which trackers write why they reject a request. */
  private static final List<String> NAMES =
      List.of(
          "message", "errorMessages", "error", "error_description", "errors", "detail", "title");

  /**
   * Reads an answer to its end.
   *
   * @throws IOException if the connection ends before the answer does
   */
  static Received read(HttpResponse<InputStream> answer) throws IOException {
    HttpHeaders headers = answer.headers();
    JsonNode json = MissingNode.getInstance();
    if (answer.statusCode() == 407) {
      // Of a proxy that refuses a tunnel; its body cannot be read.
      return new Received(407, headers, "", json, null);
    }
    String wrong = null;
    try (var body = new BufferedInputStream(answer.body(), HEAD)) {
      body.mark(HEAD);
      String head = new String(body.readNBytes(HEAD), StandardCharsets.UTF_8);
      body.reset();
      if (isPage(headers, head)) {
        wrong = "is a web page";
      } else if (!head.isEmpty()) {
        try {
          json = TrackerJson.read(body);
        } catch (TrackerJson.Unreadable e) {
          wrong = e.getMessage();
        }
      }
      return new Received(answer.statusCode(), headers, head, json, wrong);
    }
  }

  /** Whether it is a web page for people, or XML. Some servers label their JSON as HTML. */
  private static boolean isPage(HttpHeaders headers, String head) {
    String type = headers.firstValue("Content-Type").orElse("").toLowerCase(Locale.ROOT);
    String start = head.stripLeading();
    return start.startsWith("<")
        || (type.contains("html")
            && !start.isEmpty()
            && !start.startsWith("{")
            && !start.startsWith("["));
  }

  boolean isRedirect() {
    return status / 100 == 3 && status != 304 && headers.firstValue("Location").isPresent();
  }

  /**
   * The usable answer.
   *
   * @param now from which dates of headers count
   * @throws SourceFailure if the answer is not usable
   */
  TrackerResponse answer(Exchange exchange, Instant now) {
    Duration pause = new RateHeaders(headers, now).pause();
    if (status / 100 == 2) {
      requireJson(exchange);
    } else if (status != 304) {
      String words = message();
      boolean tooMany = new RateHeaders(headers, now).refuse() || TOO_MANY.matcher(words).find();
      if (status == 429 || (status == 403 && tooMany)) {
        throw tooMany(exchange, words, pause);
      }
      if (!exchange.expects(status)) {
        SourceFailure failure =
            exchange.failure(category(), said(exchange, words) + "; " + fix(), pause, null);
        // A gateway gave up on the server behind it.
        throw status == 502 || status == 504 ? failure.askingTooMuch() : failure;
      }
    }
    // A body with a status that means "no content" is ignored.
    boolean ignored = status == 204 || status == 205 || status == 304;
    return new TrackerResponse(status, headers, ignored ? MissingNode.getInstance() : json, pause);
  }

  private void requireJson(Exchange exchange) {
    if (status == 204 || status == 205) {
      return;
    }
    if (head.isEmpty() && exchange.reads()) {
      // Read as empty JSON, it would be a list without any items.
      throw exchange.failure(
          Category.MALFORMED, "sent an empty answer; check that the url is that of its API");
    }
    if (isPage(headers, head)) {
      boolean signIn = status == 203 || SIGN_IN.matcher(head).find();
      throw exchange.failure(
          signIn ? Category.AUTH : Category.MALFORMED,
          "answered a web page instead of JSON: is the url right, the token valid?");
    }
    if (wrong != null) {
      throw exchange.failure(
          Category.MALFORMED,
          "answered something that " + wrong + "; check that the url is that of its API");
    }
  }

  private SourceFailure tooMany(Exchange exchange, String words, Duration asked) {
    boolean secondary = words.toLowerCase(Locale.ROOT).contains("secondary rate limit");
    Duration pause =
        asked.isPositive() && secondary ? RateHeaders.max(asked, SHORTEST_SECONDARY) : asked;
    return exchange.failure(
        Category.RATE_LIMITED,
        said(exchange, words)
            + "; rate limited: polls continue "
            + (pause.isPositive() ? "in " + pause.toSeconds() + " s" : "after a pause")
            + "; no action needed, or poll less often",
        pause,
        null);
  }

  private Category category() {
    return switch (status) {
      case 401, 403 -> Category.AUTH;
      case 407, 408, 425 -> Category.UNREACHABLE;
      default -> status >= 500 ? Category.UNREACHABLE : Category.NOT_FOUND;
    };
  }

  private String fix() {
    return switch (status) {
      case 401 -> "the credential is missing, wrong or expired; provide a valid one";
      case 403 -> "the credential has no right to do this; grant it, or use another one";
      case 404, 410 -> "check url and project, and whether the credential may see them";
      case 407 -> "the proxy asks for a password; name one that asks for none in HTTPS_PROXY";
      case 408, 425 -> "it is asked again later, no action needed";
      case 502, 504 ->
          "a proxy or gateway got no answer from the server: it is asked again later; check the"
              + " tracker's status page, and the proxy if HTTPS_PROXY names one";
      default ->
          status >= 500
              ? "the server failed: it is asked again later; check the tracker's status page"
              : "it rejects the request: correct url and query";
    };
  }

  private String said(Exchange exchange, String words) {
    String quoted = exchange.quoted(words);
    return "answered " + status + (quoted.isEmpty() ? "" : " (" + quoted + ")");
  }

  /** The message of an error, in whichever of the usual shapes; empty if there is none for us. */
  private String message() {
    if (wrong != null) {
      return headers.firstValue("Content-Type").orElse("").startsWith("text/plain") ? head : "";
    }
    var words = new LinkedHashSet<String>();
    collect(json, words, 0);
    return String.join("; ", words);
  }

  private static void collect(JsonNode node, Set<String> words, int depth) {
    if (words.size() >= MOST_WORDS || depth > 4) {
      return;
    }
    if (node.isTextual() && !node.asText().isBlank()) {
      words.add(node.asText());
    } else if (node.isArray()) {
      node.forEach(element -> collect(element, words, depth + 1));
    } else if (node.isObject()) {
      List<String> known = NAMES.stream().filter(node::has).toList();
      known.forEach(name -> collect(node.get(name), words, depth + 1));
      if (known.isEmpty() && depth > 0) {
        // Jira's "errors": what is wrong with each field, under the field's name.
        node.properties().forEach(field -> collect(field.getValue(), words, depth + 1));
      }
    }
  }
}
