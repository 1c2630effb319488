package dev.flyball.contract.docs;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.flyball.contract.event.EventHeaders;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.json.RecordJson;
import java.util.List;
import java.util.Locale;

/** AsyncAPI 3.0 of every topic, which the release has beside the schemas of the records. */
final class AsyncApiPage {
  private static final List<String> EVENT_HEADERS =
      List.of("ce_specversion", "ce_id", "ce_type", "ce_source", "ce_subject", "ce_time");

  private static final String FRAME =
      """
      {"asyncapi": "3.0.0",
       "info": {"title": "Flyball", "version": "0.1.0",
         "description": "Topics of Flyball under the default prefix. Keys are UTF-8 strings, values one-line JSON.",
         "license": {"name": "Apache-2.0"}},
       "defaultContentType": "application/json",
       "servers": {"local": {"host": "127.0.0.1:9092", "protocol": "kafka",
         "description": "What the command \\"up\\" embeds."}},
       "channels": {},
       "operations": {},
       "components": {"messages": {}, "messageTraits": {"schemaHeader": {"headers": {"type": "object",
         "properties": {"schema": {"type": "string"}, "traceparent": {"type": "string"}},
         "required": ["schema"]}}}}}
      """;

  private AsyncApiPage() {}

  /** The document as JSON, which is YAML too. */
  static String text() {
    ObjectNode page = (ObjectNode) RecordJson.parse(FRAME);
    for (TopicFacts topic : TopicFacts.all()) {
      channel(page.withObject("/channels/" + topic.name()), topic);
      for (String writer : topic.writers()) {
        page.withObject("/operations/" + writer + "-writes-" + topic.name())
            .put("action", "send")
            .putObject("channel")
            .put("$ref", "#/channels/" + topic.name());
      }
      message(page.withObject("/components/messages/" + topic.name()), topic);
    }
    return page.toPrettyString() + "\n";
  }

  private static void channel(ObjectNode channel, TopicFacts topic) {
    channel.put("address", topic.spec().name());
    channel.put("description", topic.value() + ", keyed by " + topic.key());
    channel
        .withObject("/messages/" + topic.name())
        .put("$ref", "#/components/messages/" + topic.name());
    ObjectNode kafka = channel.withObject("/bindings/kafka");
    kafka.put("topic", topic.spec().name()).put("partitions", topic.spec().partitions());
    ObjectNode settings = kafka.putObject("topicConfiguration");
    // The binding knows these; the others are in docs/topics.md.
    String cleanup = topic.spec().settings().get("cleanup.policy");
    settings.putArray("cleanup.policy").add(cleanup);
    for (String name : List.of("retention.bytes", "retention.ms")) {
      String value = topic.spec().settings().get(name);
      if (value != null) {
        settings.put(name, Long.parseLong(value));
      }
    }
  }

  private static void message(ObjectNode message, TopicFacts topic) {
    String schema = topic.spec().schema();
    message.put("name", schema).put("contentType", "application/json");
    if (!topic.name().endsWith("changelog")) {
      message.putArray("traits").addObject().put("$ref", "#/components/messageTraits/schemaHeader");
    }
    if (schema.equals(TopicFacts.EVENTS)) {
      ObjectNode headers = message.putObject("headers").put("type", "object");
      ArrayNode required = headers.putArray("required");
      EVENT_HEADERS.forEach(name -> {
        required.add(name);
        headers.withObject("/properties/" + name).put("type", "string");
      });
      ArrayNode types = headers.withObject("/properties/ce_type").putArray("enum");
      List.of(EventType.values()).forEach(type -> types.add(type.type()));
      headers.withObject("/properties/ce_specversion").put("const", "1.0");
    }
    if (schema.equals("work-item/1")) {
      message
          .putObject("headers")
          .put("type", "object")
          .withObject("/properties/" + EventHeaders.DIGEST)
          .put("type", "string")
          .put("description", "hash of all that the tracker said, whether it counts or not");
    }
    message.putObject("payload").put("$ref", "schema/" + TopicFacts.file(schema));
    message
        .withObject("/bindings/kafka/key")
        .put("type", "string")
        .put("description", topic.key().toLowerCase(Locale.ROOT));
  }
}
