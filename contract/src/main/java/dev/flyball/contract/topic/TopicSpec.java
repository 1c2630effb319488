package dev.flyball.contract.topic;

import java.util.Map;

/**
 * The required properties of a topic.
 *
 * @param settings topic settings that are set at creation and verified afterwards
 * @param schema the {@code schema} header of its records, for example {@code work-item/1}
 * @param durable whether an acknowledged record must survive power loss: replication 1 flushes
 *     every message, replication 3 needs min.insync.replicas=2 and no unclean election
 */
public record TopicSpec(
    String name, int partitions, Map<String, String> settings, String schema, boolean durable) {

  public TopicSpec {
    settings = Map.copyOf(settings);
  }
}
