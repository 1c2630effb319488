package dev.flyball.tracker.azure;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.tracker.AsciiLine;
import dev.flyball.tracker.RawItem;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.http.TrackerHttp;
import dev.flyball.tracker.http.TrackerHttp.Request;
import dev.flyball.tracker.http.TrackerLimits;
import dev.flyball.tracker.http.TrackerResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The two requests of Azure DevOps that a poll consists of, with their errors distinguished. */
final class AzureRest {
  /** Most items of one answer to a query; an answer of this many may be incomplete. */
  static final int MOST_FOUND = 20_000;

  static final int BATCH = 200;

  private static final String VERSION = "api-version=7.1";
  private static final Set<Integer> REFUSED = Set.of(400);

  /** Most waiting time in one part of a list. */
  private static final Duration MOST_WAITING = Duration.ofMinutes(5);

  private final TrackerHttp http;
  private final AzurePlace place;
  private final String source;
  private final RequestPermission permission;

  /** The fields to read; one that the organisation does not know is removed. */
  private final List<String> fields;

  /** The pauses that the last answer and all of them asked for, and the longest of them. */
  private Duration asked = Duration.ZERO;

  private Duration waited = Duration.ZERO;
  private Duration longest = Duration.ZERO;

  /** For the requests of one poll. */
  AzureRest(
      TrackerHttp http,
      AzurePlace place,
      String source,
      List<String> fields,
      RequestPermission permission) {
    this.http = http;
    this.place = place;
    this.source = source;
    this.fields = fields;
    this.permission = permission;
  }

  private record Query(String query) {}

  /** The body of a request for items; what is not visible is left out. */
  private record Batch(List<Long> ids, List<String> fields, String errorPolicy) {}

  /** A token as a header: a personal access token is a password, a JWT of Entra ID a bearer. */
  static String header(String token) {
    boolean jwt = token.chars().filter(c -> c == '.').count() == 2;
    byte[] pair = (":" + token).getBytes(StandardCharsets.UTF_8);
    return jwt ? "Bearer " + token : "Basic " + Base64.getEncoder().encodeToString(pair);
  }

  sealed interface Found {
    /**
     * All of it.
     *
     * @param items the oldest change first
     * @param asOf the tracker's own time of the result, null if it named none
     */
    record All(List<Long> items, @Nullable Instant asOf) implements Found {
      public All {
        items = List.copyOf(items);
      }
    }

    /**
     * The result does not fit into one answer.
     *
     * @param why one line
     * @param timedOut whether the query exceeded the tracker's time limit, rather than its item
     *     limit
     */
    record TooMuch(String why, boolean timedOut) implements Found {}
  }

  Found query(String wiql) {
    String path =
        place.project() + "/_apis/wit/wiql?timePrecision=true&$top=" + MOST_FOUND + "&" + VERSION;
    TrackerResponse answer = send(path, new Query(wiql));
    if (answer.status() == 400) {
      return refused(message(answer));
    }
    JsonNode items = list(answer, "workItems");
    if (items.size() >= MOST_FOUND) {
      return new Found.TooMuch(source + ": more than " + MOST_FOUND + " items", false);
    }
    var ids = new ArrayList<Long>();
    for (JsonNode item : items) {
      if (AzureItem.idOf(item) <= 0) {
        throw malformed("has an item without a number in 'workItems'");
      }
      ids.add(AzureItem.idOf(item));
    }
    Instant asOf = RawItem.time(answer.json().path("asOf").asText());
    return new Found.All(ids, asOf.equals(Instant.EPOCH) ? null : asOf);
  }

  private Found refused(String message) {
    boolean timedOut = message.contains("VS402335");
    if (timedOut || message.contains("VS402337")) {
      return new Found.TooMuch(source + ": " + message, timedOut);
    }
    throw new SourceFailure(
        Category.NOT_FOUND,
        source + ": the query is refused: " + message + "; correct sources[].query");
  }

  /** The items of these ids that are visible, at most {@link #BATCH}. */
  List<JsonNode> items(List<Long> ids) {
    TrackerResponse answer =
        send("/_apis/wit/workitemsbatch?" + VERSION, new Batch(ids, fields, "Omit"));
    if (answer.status() == 400) {
      String message = message(answer);
      if (fields.removeIf(it -> AzureItem.OPTIONAL.contains(it) && message.contains(it))) {
        return items(ids);
      }
      throw new SourceFailure(
          Category.NOT_FOUND, source + ": items are refused: " + message + "; check sources[].url");
    }
    return list(answer, "value").valueStream().filter(item -> !item.isNull()).toList();
  }

  private JsonNode list(TrackerResponse answer, String name) {
    return answer.list("/" + name, malformed("has no list '" + name + "'").failure().reason());
  }

  private TrackerResponse send(String path, Object body) {
    // A pause that another poll was asked for is its own business; one within this poll is waited
    // for.
    TrackerResponse answer =
        http.ask(
            new Request("POST", path, Map.of(), body, REFUSED, asked.isPositive()), permission);
    asked = answer.retryAfter();
    waited = waited.plus(asked);
    longest = asked.compareTo(longest) > 0 ? asked : longest;
    return answer;
  }

  private SourceFailure malformed(String what) {
    return new SourceFailure(
        Category.MALFORMED,
        source + ": the answer of Azure DevOps " + what + "; check sources[].url");
  }

  private String message(TrackerResponse answer) {
    return AsciiLine.part(http.redacted(answer.json().path("message").asText("without a reason")));
  }

  /**
   * Whether a poll should end here if it can: the tracker asks for a pause that no request waits
   * for, or asked for so much that a part of the list is better published now. Azure DevOps asks
   * for pauses in successful answers too, before it slows down or rejects requests.
   */
  boolean wantsRest() {
    return asked.compareTo(TrackerLimits.LONGEST_WAIT) > 0 || waited.compareTo(MOST_WAITING) > 0;
  }

  Duration longestPause() {
    return longest;
  }
}
