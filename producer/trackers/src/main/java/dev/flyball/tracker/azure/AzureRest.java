package dev.flyball.tracker.azure;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.tracker.AsciiLine;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.TrackerFailure.Category;
import dev.flyball.tracker.azure.wiql.Found;
import dev.flyball.tracker.http.TrackerHttp;
import dev.flyball.tracker.http.TrackerResponse;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The two requests of Azure DevOps that a poll consists of, with their errors distinguished. */
final class AzureRest {
  /** Most items of one answer to a query; an answer of this many may be incomplete. */
  static final int MOST_FOUND = 20_000;

  /** Most items of one answer with their fields. */
  static final int BATCH = 200;

  private static final String VERSION = "api-version=7.1";
  private static final Set<Integer> REFUSED = Set.of(400);

  private final TrackerHttp http;
  private final AzurePlace place;
  private final String source;
  private final RequestPauses pace;
  private final RequestPermission permission;

  /** For the requests of one poll. */
  AzureRest(
      TrackerHttp http,
      AzurePlace place,
      String source,
      RequestPauses pace,
      RequestPermission permission) {
    this.http = http;
    this.place = place;
    this.source = source;
    this.pace = pace;
    this.permission = permission;
  }

  /** The project compares days only and rejected a time. */
  static final class OnlyDays extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** The organisation has no such field. */
  static final class NoSuchField extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String field;

    private NoSuchField(String field) {
      this.field = field;
    }

    String field() {
      return field;
    }
  }

  /**
   * The ids that a query finds.
   *
   * @throws OnlyDays if the project compares days only
   */
  Found<Long> query(String wiql) {
    String path =
        place.project() + "/_apis/wit/wiql?timePrecision=true&$top=" + MOST_FOUND + "&" + VERSION;
    TrackerResponse answer = send(path, JsonNodeFactory.instance.objectNode().put("query", wiql));
    if (answer.status() == 400) {
      return refused(message(answer));
    }
    JsonNode items = answer.json().path("workItems");
    if (!items.isArray()) {
      throw malformed("has no list 'workItems'");
    }
    if (items.size() >= MOST_FOUND) {
      return new Found.TooMuch<>(source + ": more than " + MOST_FOUND + " items", false);
    }
    var ids = new ArrayList<Long>();
    for (JsonNode item : items) {
      if (AzureItem.id(item) <= 0) {
        throw malformed("has an item without a number in 'workItems'");
      }
      ids.add(AzureItem.id(item));
    }
    return new Found.All<>(ids, time(answer.json().path("asOf")));
  }

  private Found<Long> refused(String message) {
    if (message.contains("VS402337")) {
      return new Found.TooMuch<>(source + ": " + message, false);
    }
    if (message.contains("VS402335")) {
      return new Found.TooMuch<>(source + ": " + message, true);
    }
    if (message.toLowerCase(Locale.ROOT).contains("cannot supply a time with the date")) {
      throw new OnlyDays();
    }
    throw new SourceFailure(
        Category.NOT_FOUND,
        source + ": the query is refused: " + message + "; correct sources[].query");
  }

  /**
   * The items of these ids that are visible, at most {@link #BATCH}.
   *
   * @throws NoSuchField if one of the fields is unknown there
   */
  List<JsonNode> items(List<Long> ids, List<String> fields) {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    ArrayNode wanted = body.putArray("ids");
    ids.forEach(wanted::add);
    ArrayNode names = body.putArray("fields");
    fields.forEach(names::add);
    body.put("errorPolicy", "Omit");
    TrackerResponse answer = send("/_apis/wit/workitemsbatch?" + VERSION, body);
    if (answer.status() == 400) {
      for (String field : fields) {
        if (AzureItem.isOptional(field) && message(answer).contains(field)) {
          throw new NoSuchField(field);
        }
      }
      throw new SourceFailure(
          Category.NOT_FOUND,
          source + ": items are refused: " + message(answer) + "; check sources[].url");
    }
    JsonNode value = answer.json().path("value");
    if (!value.isArray()) {
      throw malformed("has no list 'value'");
    }
    var items = new ArrayList<JsonNode>();
    for (JsonNode item : value) {
      if (!item.isNull()) {
        items.add(item);
      }
    }
    return items;
  }

  private TrackerResponse send(String path, JsonNode body) {
    pace.beforeNext();
    TrackerResponse answer = http.send("POST", path, body, REFUSED, permission);
    pace.answered(answer.retryAfter());
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

  private static @Nullable Instant time(JsonNode text) {
    try {
      return OffsetDateTime.parse(text.asText()).toInstant();
    } catch (DateTimeException e) {
      return null;
    }
  }
}
