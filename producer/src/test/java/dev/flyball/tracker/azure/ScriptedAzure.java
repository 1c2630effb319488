package dev.flyball.tracker.azure;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The part of Azure DevOps that a source uses, written by us from its documentation. It answers
 * queries by windows of changes, and rejects those that find too much. Its batches leave out
 * missing items. Used by one request at a time.
 */
public final class ScriptedAzure {
  private static final Pattern FROM = Pattern.compile("\\[System.ChangedDate] >= '([^']+)'");
  private static final Pattern IDS = Pattern.compile("\\[System.Id] IN \\(([^)]+)\\)");
  private static final Pattern TO = Pattern.compile("\\[System.ChangedDate] < '([^']+)'");

  private final Map<Long, ObjectNode> items = new TreeMap<>();
  private final Map<Long, Instant> changes = new HashMap<>();
  private final List<String> queries = new ArrayList<>();
  private Instant now = Instant.parse("2026-02-10T12:00:00Z");
  private int most = 20_000;
  private Runnable between = () -> {};

  /** Adds one more revision of an item, now. */
  public ScriptedAzure change(long id, String title) {
    ObjectNode before = items.get(id);
    int rev = before == null ? 1 : before.path("rev").asInt() + 1;
    ObjectNode item = JsonNodeFactory.instance.objectNode().put("id", id).put("rev", rev);
    item.putObject("fields")
        .put("System.Id", id)
        .put("System.Rev", rev)
        .put("System.Title", title)
        .put("System.State", "Active")
        .put("System.WorkItemType", "Bug")
        .put("System.CommentCount", 0)
        .put("System.ChangedDate", now.toString());
    item.put("url", "https://tracker.invalid/org/_apis/wit/workItems/" + id);
    items.put(id, item);
    changes.put(id, now);
    return this;
  }

  /** Adds a record that is not a valid item: it has no title. */
  public ScriptedAzure changeBroken(long id) {
    change(id, "");
    Objects.requireNonNull(items.get(id)).withObject("/fields").remove("System.Title");
    return this;
  }

  /** Deletes an item, or hides it from us. */
  public ScriptedAzure remove(long id) {
    items.remove(id);
    return this;
  }

  /** An item as a batch answers it. */
  public ObjectNode item(long id) {
    return Objects.requireNonNull(items.get(id));
  }

  /** Sets the tracker's clock. */
  public ScriptedAzure at(Instant time) {
    now = time;
    return this;
  }

  Instant now() {
    return now;
  }

  /** Sets the most items that a query may find; a larger result is rejected. */
  ScriptedAzure mostFound(int most) {
    this.most = most;
    return this;
  }

  /** Sets what happens there after each answer. */
  ScriptedAzure afterEachAnswer(Runnable change) {
    between = change;
    return this;
  }

  /** The queries received, in WIQL. */
  List<String> queries() {
    return List.copyOf(queries);
  }

  /** The answer to a request. */
  public FaultReply answer(FaultRequest request) {
    FaultReply reply =
        switch (request.method() + " " + request.path().replaceFirst("^.*/_apis", "")) {
          case "POST /wit/wiql" -> query(RecordJson.parse(request.body()).path("query").asText());
          case "POST /wit/workitemsbatch" -> batch(RecordJson.parse(request.body()));
          default -> FaultReply.json(404, "{\"message\":\"VS800075: nothing here\"}");
        };
    between.run();
    return reply;
  }

  private FaultReply query(String wiql) {
    queries.add(wiql);
    Optional<String> from = literal(FROM, wiql);
    Optional<String> to = literal(TO, wiql);
    Instant begin = from.map(Instant::parse).orElse(Instant.MIN);
    Instant end = to.map(Instant::parse).orElse(Instant.MAX);
    List<ObjectNode> found =
        items.values().stream()
            .filter(item ->
                literal(IDS, wiql)
                    .filter(ids -> !List.of(ids.split(", ")).contains(item.path("id").asText()))
                    .isEmpty())
            .filter(item -> !changed(item).isBefore(begin) && changed(item).isBefore(end))
            .sorted(Comparator.comparing(this::changed))
            .toList();
    if (found.size() > most) {
      return refusal(
          "VS402337: The number of work items returned exceeds the size limit of "
              + most
              + ". Change the query to return fewer items.");
    }
    ObjectNode answer =
        JsonNodeFactory.instance
            .objectNode()
            .put("queryType", "flat")
            .put("queryResultType", "workItem")
            .put("asOf", now.toString());
    answer.putArray("columns").addObject().put("referenceName", "System.Id").put("name", "ID");
    ArrayNode ids = answer.putArray("workItems");
    found.forEach(item -> ids.addObject().set("id", item.path("id")));
    return FaultReply.json(RecordJson.write(answer));
  }

  private FaultReply batch(JsonNode wanted) {
    ObjectNode answer = JsonNodeFactory.instance.objectNode();
    ArrayNode value = JsonNodeFactory.instance.arrayNode();
    for (JsonNode id : wanted.path("ids")) {
      value.add(items.get(id.asLong()));
    }
    answer.put("count", value.size());
    answer.set("value", value);
    return FaultReply.json(RecordJson.write(answer));
  }

  private static FaultReply refusal(String message) {
    return FaultReply.json(
        400,
        RecordJson.write(
            JsonNodeFactory.instance
                .objectNode()
                .put("$id", "1")
                .put("message", message)
                .put("typeKey", "WorkItemTrackingQueryException")));
  }

  private static Optional<String> literal(Pattern pattern, String wiql) {
    Matcher matcher = pattern.matcher(wiql);
    return matcher.find() ? Optional.of(matcher.group(1)) : Optional.empty();
  }

  private Instant changed(ObjectNode item) {
    return Objects.requireNonNull(changes.get(item.path("id").asLong()));
  }
}
