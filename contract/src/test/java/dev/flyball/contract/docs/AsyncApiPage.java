package dev.flyball.contract.docs;

import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.EventType;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** AsyncAPI 3.0 of every topic, which the release has beside the schemas of the records. */
final class AsyncApiPage {
  private static final String HEAD =
      """
      asyncapi: 3.0.0
      info:
        title: Flyball
        version: 0.1.0
        description: Topics of Flyball under the default prefix. Keys are UTF-8 strings, values one-line JSON.
        license:
          name: Apache-2.0
      defaultContentType: application/json
      servers:
        local:
          host: 127.0.0.1:9092
          protocol: kafka
          description: What the command "up" embeds.
      """;

  private final StringBuilder page = new StringBuilder(HEAD);

  static String text() {
    return new AsyncApiPage().write();
  }

  private String write() {
    List<TopicFacts> topics = TopicFacts.all();
    page.append("channels:\n");
    topics.forEach(this::channel);
    page.append("operations:\n");
    topics.forEach(this::operations);
    page.append("components:\n  messages:\n");
    topics.forEach(this::message);
    page.append("  messageTraits:\n    schemaHeader:\n      headers:\n        type: object\n");
    page.append(
        "        properties:\n"
            + "          schema:\n"
            + "            type: string\n"
            + "          traceparent:\n");
    page.append("            type: string\n        required: [schema]\n");
    return page.toString();
  }

  private void channel(TopicFacts topic) {
    line(1, topic.name() + ":");
    line(2, "address: " + topic.spec().name());
    line(2, "description: " + quoted(topic.value() + ", keyed by " + topic.key()));
    line(2, "messages:");
    line(3, topic.name() + ":");
    line(4, "$ref: '#/components/messages/" + topic.name() + "'");
    line(2, "bindings:");
    line(3, "kafka:");
    line(4, "topic: " + topic.spec().name());
    line(4, "partitions: " + topic.spec().partitions());
    line(4, "topicConfiguration:");
    for (Map.Entry<String, String> setting : topic.settings()) {
      String value = setting.getValue();
      // The binding knows these; the others are in docs/topics.md.
      switch (setting.getKey()) {
        case "cleanup.policy" -> line(5, "cleanup.policy: [" + value + "]");
        case "retention.ms", "retention.bytes" -> line(5, setting.getKey() + ": " + value);
        default -> {}
      }
    }
  }

  private void operations(TopicFacts topic) {
    Set<String> writers = new LinkedHashSet<>(topic.writers());
    for (String writer : writers) {
      line(1, writer + "-writes-" + topic.name() + ":");
      line(2, "action: send");
      line(2, "channel:");
      line(3, "$ref: '#/channels/" + topic.name() + "'");
    }
  }

  private void message(TopicFacts topic) {
    String schema = topic.spec().schema();
    line(2, topic.name() + ":");
    line(3, "name: " + quoted(schema));
    line(3, "contentType: application/json");
    if (!topic.name().endsWith("changelog")) {
      line(3, "traits:");
      line(4, "- $ref: '#/components/messageTraits/schemaHeader'");
    }
    if (schema.equals(TopicFacts.EVENTS)) {
      eventHeaders();
    }
    if (schema.equals("work-item/1")) {
      line(3, "headers:");
      line(4, "type: object");
      line(4, "properties:");
      line(5, EventHeaders.DIGEST + ":");
      line(6, "type: string");
      line(6, "description: 'hash of all that the tracker said, whether it counts or not'");
    }
    line(3, "payload:");
    line(4, "$ref: schema/" + TopicFacts.file(schema));
    line(3, "bindings:");
    line(4, "kafka:");
    line(5, "key:");
    line(6, "type: string");
    line(6, "description: " + quoted(topic.key().toLowerCase(Locale.ROOT)));
  }

  private void eventHeaders() {
    line(3, "headers:");
    line(4, "type: object");
    line(4, "required: [ce_specversion, ce_id, ce_type, ce_source, ce_subject, ce_time]");
    line(4, "properties:");
    for (String header : List.of("ce_id", "ce_source", "ce_subject", "ce_time")) {
      line(5, header + ":");
      line(6, "type: string");
    }
    line(5, "ce_specversion:");
    line(6, "const: '1.0'");
    line(5, "ce_type:");
    line(6, "enum:");
    for (EventType type : EventType.values()) {
      line(7, "- " + type.type());
    }
  }

  private static String quoted(String text) {
    return "'" + text.replace("'", "''") + "'";
  }

  private void line(int depth, String text) {
    page.append("  ".repeat(depth)).append(text).append('\n');
  }
}
