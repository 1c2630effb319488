package dev.flyball.contract.docs;

import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import java.time.Duration;
import java.util.stream.Collectors;

/** docs/topics.md. */
final class TopicsPage {
  private TopicsPage() {}

  static String text() {
    var page = new StringBuilder();
    page.append(
        """
        # Topics and events
        <!-- Generated: ./mvnw -pl contract test -Dtest=DocsAreCurrentTest -Ddocs=write -->
        Keys are UTF-8 strings, values one-line JSON, headers strings. Every record has a `schema` header; its JSON Schema is
        in [contract/src/main/resources/schema](../contract/src/main/resources/schema), and [asyncapi.yaml](asyncapi.yaml)
        describes the whole. Item keys are `tenant/source/id`. The prefix `flyball.` is `topics.prefix`. Read with
        read_committed.

        | topic | key | value | partitions | cleanup | written by | schema |
        |---|---|---|---|---|---|---|
        """);
    for (TopicFacts topic : TopicFacts.all()) {
      page.append(
          "| %s | %s | %s | %s | %s | %s | %s |\n"
              .formatted(
                  topic.spec().name(),
                  topic.key(),
                  topic.value(),
                  topic.spec().partitions(),
                  cleanup(topic),
                  String.join(", ", topic.writers()),
                  schema(topic)));
    }
    page.append(
        "\n"
            + "Records of work-items also have a `digest` header: the hash of all that the tracker"
            + " said, whether it counts or not.\n"
            + "A producer that takes a source over knows by it what was published already.\n"
            + "\n"
            + "Each snapshot that triage drops is one `flyball.item.duplicate.v1` of"
            + " session-events, and nothing else is: their number is the\n"
            + "number of dropped snapshots. One that is exactly as it is known writes only that"
            + " event; one with a new revision, label or the\n"
            + "like also writes its item's state.\n"
            + "\n"
            + "A key of metrics is `1m/2026-11-25T02:13:00Z/acme`: size, start and tenant of a"
            + " window. A window that grows is written again, at\n"
            + "most every 2 s (an hour: every 20 s); the newest record of a key is the one to use."
            + " An event counts in the window of its `ce_time`, up\n"
            + "to a day after it. [Operations](operations.md#metrics-over-time) shows how to read"
            + " them.\n");
    page.append(
        "\n"
            + "## Reading them with kcat\n"
            + "New records go to the end; `-e` stops there. Headers stand before the value.\n"
            + "```\n");
    for (TopicFacts topic : TopicFacts.all()) {
      page.append(kcat(topic)).append('\n');
    }
    page.append("```\n\n## Lifecycle events\n");
    page.append(
        """
        CloudEvents 1.0 in binary mode: headers `ce_specversion`, `ce_id`, `ce_type`, `ce_source`, `ce_subject`, `ce_time`.
        Further payload fields than the ones named are allowed.

        | ce_type | means | always carries |
        |---|---|---|
        """);
    for (EventType type : EventType.values()) {
      String fields = type.required().stream().map(Field::json).collect(Collectors.joining(", "));
      page.append("| %s | %s | %s |\n".formatted(type.type(), type.meaning(), fields));
    }
    page.append("\n## Payload fields\n| field | is | means |\n|---|---|---|\n");
    for (Field field : Field.values()) {
      page.append(
          "| %s | %s | %s |\n".formatted(field.json(), word(field.shape()), field.meaning()));
    }
    return page.toString();
  }

  /** A command that prints a topic; item-state has its schema in the value, not in a header. */
  private static String kcat(TopicFacts topic) {
    return "kcat -C -b 127.0.0.1:9092 -X isolation.level=read_committed -o beginning -e -q -f '%k "
        + " %h  %s\\n' -t "
        + topic.spec().name();
  }

  private static String schema(TopicFacts topic) {
    String schema = topic.spec().schema();
    return "[%s](../contract/src/main/resources/schema/%s)"
        .formatted(schema, TopicFacts.file(schema));
  }

  private static String cleanup(TopicFacts topic) {
    String policy = topic.setting("cleanup.policy").orElse("");
    String retention = topic.setting("retention.ms").orElse("");
    String kept = retention.equals("-1") ? ", kept" : "";
    String days =
        retention.isEmpty() || retention.equals("-1")
            ? ""
            : ", " + Duration.ofMillis(Long.parseLong(retention)).toDays() + " d";
    String bytes =
        topic
            .setting("retention.bytes")
            .filter(size -> !size.equals("-1"))
            .map(size -> ", " + size + " bytes")
            .orElse("");
    String time = topic.setting("message.timestamp.type").map(type -> ", " + type).orElse("");
    return policy + kept + days + bytes + time;
  }

  private static String word(Class<?> shape) {
    return shape == Long.class
        ? "integer"
        : shape.getSimpleName().toLowerCase(java.util.Locale.ROOT);
  }
}
