package dev.flyball.ops.console;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import dev.flyball.contract.command.Command;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.contract.json.UnreadableRecord;
import dev.flyball.ops.telemetry.HttpProblem;
import dev.flyball.ops.telemetry.RequestBody;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What a form or a program asks to be done.
 *
 * @param fields by name; an empty field of a form is one that was not filled in
 * @param page whether a page's form asks, whose browser is sent on to a page
 */
record ActionRequest(Map<String, String> fields, boolean page) {
  /**
   * Reads a form or a JSON object of texts, numbers and booleans.
   *
   * @throws HttpProblem 400 if it is neither, 413 if it is too long
   */
  static ActionRequest read(HttpExchange exchange) throws IOException {
    String type = exchange.getRequestHeaders().getFirst("Content-Type");
    String kind = type == null ? "" : type.split(";")[0].strip().toLowerCase(Locale.ROOT);
    String body = RequestBody.read(exchange);
    return switch (kind) {
      case "application/x-www-form-urlencoded" ->
          new ActionRequest(RequestBody.fields(body.strip()), HttpProblem.acceptsHtml(exchange));
      case "application/json" -> new ActionRequest(json(body), false);
      default ->
          throw new HttpProblem(
              400, "the body must be application/json or application/x-www-form-urlencoded");
    };
  }

  private static Map<String, String> json(String body) {
    try {
      JsonNode node = RecordJson.parse(body);
      if (!node.isObject()) {
        throw new HttpProblem(400, "the body is not a JSON object");
      }
      var fields = new LinkedHashMap<String, String>();
      node.properties()
          .forEach(field -> {
            if (!field.getValue().isValueNode()) {
              throw new HttpProblem(400, "a field is not a text, a number or a boolean");
            }
            if (!field.getValue().isNull()) {
              fields.put(field.getKey(), field.getValue().asText());
            }
          });
      return fields;
    } catch (UnreadableRecord e) {
      throw new HttpProblem(400, "the body is " + e.getMessage());
    }
  }

  /** A field; empty if it is missing or blank. */
  Optional<String> find(String name) {
    return Optional.ofNullable(fields.get(name)).map(String::strip).filter(it -> !it.isEmpty());
  }

  /**
   * A field that must be there.
   *
   * @throws HttpProblem 422 if it is not
   */
  String get(String name) {
    return find(name).orElseThrow(() -> new HttpProblem(422, name + " is missing"));
  }

  /**
   * A field that is a whole number.
   *
   * @throws HttpProblem 422 if it is not
   */
  int number(String name) {
    String text = get(name);
    if (!text.matches("[0-9]{1,9}")) {
      throw new HttpProblem(422, name + " is not a whole number");
    }
    return Integer.parseInt(text);
  }

  /**
   * The key of an item.
   *
   * @throws HttpProblem 422 if it is not one
   */
  ItemKey key() {
    try {
      return ItemKey.parse(get("key"));
    } catch (IllegalArgumentException e) {
      throw new HttpProblem(422, "key is not tenant/source/id");
    }
  }

  /**
   * The reason for the record; may be empty.
   *
   * @throws HttpProblem 422 if it is too long
   */
  String why() {
    String why = find("why").orElse("");
    if (why.length() > Command.MOST_WHY) {
      throw new HttpProblem(422, "why has more than " + Command.MOST_WHY + " characters");
    }
    return why;
  }
}
