package dev.flyball.tracker.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.time.Instant;
import java.time.ZoneOffset;

/** A node's attributes; one of the wrong type counts as missing. */
record AdfAttributes(JsonNode fields) {

  /** The first of these attributes that exists; empty if none does. */
  String text(String... names) {
    for (String name : names) {
      String text = fields.path(name).asText();
      if (!text.isBlank()) {
        return text;
      }
    }
    return "";
  }

  boolean done() {
    return fields.path("state").asText().equals("DONE");
  }

  /** Number of a list's first item. */
  long order() {
    long order = fields.path("order").asLong(1);
    return order >= 0 && order < 1_000_000_000 ? order : 1;
  }

  /** A heading's level, from 1 to 6. */
  int level() {
    return Math.clamp(fields.path("level").asInt(1), 1, 6);
  }

  /**
   * The day of a date, in UTC as Jira keeps it; text that is not a number of milliseconds stays as
   * it is.
   */
  String day() {
    String timestamp = text("timestamp");
    return timestamp.matches("-?[0-9]{1,14}")
        ? Instant.ofEpochMilli(Long.parseLong(timestamp))
            .atOffset(ZoneOffset.UTC)
            .toLocalDate()
            .toString()
        : timestamp;
  }

  /** A card's title, if Jira sent it. */
  String name() {
    return fields.path("data").path("name").asText();
  }

  /** The address to which a card leads. */
  String address() {
    String url = text("url");
    JsonNode data = fields.path("data");
    return Address.of(url.isEmpty() ? new AdfAttributes(data).text("url", "@id") : url);
  }

  static boolean hasMark(JsonNode node, String type) {
    return !mark(node, type).isMissingNode();
  }

  /** The address to which a node's text leads; empty if it is not a link. */
  static String link(JsonNode node) {
    return Address.of(mark(node, "link").path("attrs").path("href").asText());
  }

  /** The sign before a node's raised or lowered text; a blank if it is neither. */
  static char script(JsonNode node) {
    return switch (mark(node, "subsup").path("attrs").path("type").asText()) {
      case "sup" -> '^';
      case "sub" -> '_';
      default -> ' ';
    };
  }

  private static JsonNode mark(JsonNode node, String type) {
    for (JsonNode mark : node.path("marks")) {
      if (mark.path("type").asText().equals(type)) {
        return mark;
      }
    }
    return MissingNode.getInstance();
  }
}
