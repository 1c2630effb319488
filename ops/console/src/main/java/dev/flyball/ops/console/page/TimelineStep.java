package dev.flyball.ops.console.page;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flyball.ops.console.view.ItemStory;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.StringJoiner;

/** One step of an item's life, in words. */
public record TimelineStep(ItemStory.Event event) {
  /** The fields that a reader asks for, in this order, with what is written before each value. */
  private static final Map<String, String> FIELDS = new LinkedHashMap<>();

  static {
    FIELDS.put("reason", "");
    FIELDS.put("complexity", "complexity ");
    FIELDS.put("model", "by ");
    FIELDS.put("profile", "profile ");
    FIELDS.put("exitCode", "exit code ");
    FIELDS.put("signal", "signal ");
    FIELDS.put("endedBy", "lease ");
    FIELDS.put("due", "due ");
  }

  /** What happened. */
  public String headline() {
    JsonNode data = event.data();
    return switch (event.name()) {
      case "item.changed" -> "Changed";
      case "item.duplicate" -> "Unchanged: nothing spent";
      case "item.triaged" -> "Triaged";
      case "item.skipped" -> "Skipped";
      case "item.superseded" -> "Replaced by a newer change";
      case "item.deferred" -> "A new attempt comes later";
      case "item.closed" -> "Closed in the tracker";
      case "item.cancelled" -> "Cancelled";
      case "item.reopened" -> "Tried again by an operator";
      case "item.deadLettered" -> "Given up";
      case "session.requested" -> "Session requested" + attempt(data);
      case "session.claimed" -> "Permit granted to " + text(data, "runner");
      case "session.spawned" ->
          "Agent started, pid " + text(data, "pid") + ", level " + text(data, "level");
      case "session.identified" -> "Agent reported its session";
      case "session.result" -> "Agent answered";
      case "session.completed" -> "Session completed";
      case "session.failed" -> "Session failed";
      case "session.timedOut" -> "Session timed out";
      case "session.cancelled" -> "Session cancelled";
      case "session.interrupted" -> "Session interrupted";
      case "session.lost" -> "Session lost";
      case "session.leaseEnded" -> "Permit returned";
      case "session.killed" -> "Session ended by its runner";
      default -> Display.line(event.name().replace('.', ' '), Display.TITLE);
    };
  }

  /** Why, and the figures that belong to it, as far as the event has them. */
  public String detail() {
    if (event.data().hasNonNull("commandId")) {
      return Display.line(event.gist(), Display.REASON);
    }
    var parts = new StringJoiner(", ");
    FIELDS.forEach((field, name) -> {
      String value = text(event.data(), field);
      if (!value.isEmpty() && !headline().contains(value)) {
        parts.add(name + value);
      }
    });
    JsonNode survivors = event.data().path("receipt").path("survivors");
    if (survivors.isNumber()) {
      parts.add("survivors " + survivors.asText());
    }
    return Display.line(parts.toString(), Display.REASON);
  }

  /** The colour of its dot. */
  public String tone() {
    return switch (event.name()) {
      case "session.claimed", "session.spawned" -> "run";
      case "session.completed", "item.triaged" -> "ok";
      case "session.hung", "session.interrupted", "session.cancelled", "item.deferred" -> "warn";
      case "session.failed", "session.timedOut", "session.lost", "item.deadLettered" -> "bad";
      default -> "";
    };
  }

  /** Its time of day. */
  public String time() {
    return Display.time(event.time());
  }

  /** Its day and time. */
  public String day() {
    return Display.day(event.time());
  }

  private static String attempt(JsonNode data) {
    return data.hasNonNull("attempt") ? ", attempt " + text(data, "attempt") : "";
  }

  private static String text(JsonNode data, String field) {
    return Display.line(data.path(field).asText(), Display.TITLE);
  }
}
