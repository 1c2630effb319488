package dev.flyball.contract.topic;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * All topics under one prefix ({@code topics.prefix}, by default {@code flyball.}).
 *
 * @param prefix the beginning of every name; ends with a dot
 */
public record Topics(String prefix) {
  /** The default prefix. */
  public static final Topics DEFAULT = new Topics("flyball.");

  private static final int WIDE = 6;

  public Topics {
    if (!prefix.matches("[A-Za-z0-9_-][A-Za-z0-9._-]*\\.")) {
      throw new IllegalArgumentException(
          "topics.prefix '" + prefix + "' must be letters, digits, _ - . and end with a dot");
    }
  }

  public String workItems() {
    return prefix + "work-items";
  }

  public String pollState() {
    return prefix + "poll-state";
  }

  /** The item state's changelog, named by the rule of Kafka Streams, not by the prefix rule. */
  public String itemState() {
    return applicationId() + "-item-state-changelog";
  }

  /** The {@code application.id} of triage-stream: prefix without dot, and {@code -triage}. */
  public String applicationId() {
    return prefix.substring(0, prefix.length() - 1) + "-triage";
  }

  public String triageRequests() {
    return prefix + "triage-requests";
  }

  public String triageVerdicts() {
    return prefix + "triage-verdicts";
  }

  public String sessionRequests() {
    return prefix + "session-requests";
  }

  public String sessionLedger() {
    return prefix + "session-ledger";
  }

  public String sessionEvents() {
    return prefix + "session-events";
  }

  public String sessionOutput() {
    return prefix + "session-output";
  }

  public String analyses() {
    return prefix + "analyses";
  }

  public String metrics() {
    return prefix + "metrics";
  }

  public String commands() {
    return prefix + "commands";
  }

  public String deadLetters() {
    return prefix + "dead-letters";
  }

  /** Topics that the apps create or verify; Kafka Streams creates its changelogs itself. */
  public List<TopicSpec> specs() {
    return List.of(
        deleted(workItems(), WIDE, Duration.ofDays(7), "work-item/1"),
        compacted(pollState(), 1, "poll-state/1"),
        deleted(triageRequests(), 1, Duration.ofDays(7), "triage-request/1"),
        deleted(triageVerdicts(), WIDE, Duration.ofDays(7), "triage-verdict/1"),
        // The ledger's floors are offsets of this topic. So after a power loss it must not end
        // below one: no claim of that partition would take effect.
        durable(compacted(sessionRequests(), WIDE, "session-request/1")),
        new TopicSpec(
            sessionLedger(),
            1,
            Map.of(
                "cleanup.policy", "delete",
                "retention.ms", "-1",
                "retention.bytes", "-1",
                "message.timestamp.type", "LogAppendTime"),
            "ledger-entry/1",
            true),
        deleted(sessionEvents(), WIDE, Duration.ofDays(30), "session-event/1"),
        withBytes(deleted(sessionOutput(), WIDE, Duration.ofDays(3), "session-output/1"), 1L << 30),
        compacted(analyses(), WIDE, "analysis/1"),
        deleted(metrics(), 1, Duration.ofDays(30), "metric-window/1"),
        deleted(commands(), WIDE, Duration.ofDays(30), "command/1"),
        deleted(deadLetters(), 1, Duration.ofDays(30), "dead-letter/1"));
  }

  /**
   * The topics that Kafka Streams creates when missing: changelogs of its stores. Their names
   * follow the rule of Kafka Streams.
   */
  public List<TopicSpec> streamsTopics() {
    return List.of(
        changelog(itemState(), WIDE, "item-state/1"),
        changelog(applicationId() + "-item-sessions-changelog", WIDE, ""),
        changelog(applicationId() + "-due-index-changelog", WIDE, ""),
        changelog(applicationId() + "-ledger-fold-changelog", 1, ""));
  }

  /**
   * The spec of one of Flyball's topics.
   *
   * @throws IllegalArgumentException if the name is none of them
   */
  public TopicSpec spec(String name) {
    return specs().stream()
        .filter(spec -> spec.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no topic '" + name + "'"));
  }

  private static TopicSpec deleted(String name, int partitions, Duration keep, String schema) {
    return new TopicSpec(
        name,
        partitions,
        Map.of("cleanup.policy", "delete", "retention.ms", Long.toString(keep.toMillis())),
        schema,
        false);
  }

  private static TopicSpec compacted(String name, int partitions, String schema) {
    return new TopicSpec(name, partitions, Map.of("cleanup.policy", "compact"), schema, false);
  }

  private static TopicSpec changelog(String name, int partitions, String schema) {
    return new TopicSpec(
        name,
        partitions,
        Map.of("cleanup.policy", "compact", "message.timestamp.type", "CreateTime"),
        schema,
        false);
  }

  private static TopicSpec durable(TopicSpec spec) {
    return new TopicSpec(spec.name(), spec.partitions(), spec.settings(), spec.schema(), true);
  }

  private static TopicSpec withBytes(TopicSpec spec, long bytes) {
    var settings = new TreeMap<>(spec.settings());
    settings.put("retention.bytes", Long.toString(bytes));
    return new TopicSpec(spec.name(), spec.partitions(), settings, spec.schema(), spec.durable());
  }
}
