package dev.flyball.triage.topology;

import dev.flyball.contract.text.OneLine;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.telemetry.StartFailure;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.ListStreamsGroupOffsetsSpec;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;

/**
 * Finds records that were deleted by their topic's retention before their group read them: it was
 * stopped for too long, or its offsets expired. The group goes on with what is left, and nothing
 * else would show the gap.
 */
public final class ReadGaps {
  private ReadGaps() {}

  /** Reads the offsets of a group. */
  private interface Offsets {
    Map<TopicPartition, OffsetAndMetadata> of(Admin admin)
        throws InterruptedException, ExecutionException;
  }

  /**
   * Returns one line for each partition of these topics in which the stream misses, or may miss,
   * records.
   *
   * @throws StartFailure if the broker does not answer
   */
  static List<String> find(KafkaClients clients, List<String> topics) {
    String group = clients.topics().applicationId();
    return find(
        clients,
        topics,
        admin ->
            admin
                .listStreamsGroupOffsets(Map.of(group, new ListStreamsGroupOffsetsSpec()))
                .partitionsToOffsetAndMetadata(group)
                .get());
  }

  /**
   * The same of a group of consumers and its topic.
   *
   * @throws StartFailure if the broker does not answer
   */
  public static List<String> ofConsumers(KafkaClients clients, String group, String topic) {
    return find(
        clients,
        List.of(topic),
        admin -> admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get());
  }

  private static List<String> find(KafkaClients clients, List<String> topics, Offsets offsets) {
    try (Admin admin = clients.admin("read-gaps")) {
      var earliest = new HashMap<TopicPartition, OffsetSpec>();
      admin
          .describeTopics(topics)
          .allTopicNames()
          .get()
          .forEach((topic, description) ->
              description
                  .partitions()
                  .forEach(each ->
                      earliest.put(
                          new TopicPartition(topic, each.partition()), OffsetSpec.earliest())));
      var beginnings = new HashMap<TopicPartition, Long>();
      Map<TopicPartition, ListOffsetsResultInfo> found = admin.listOffsets(earliest).all().get();
      found.forEach((partition, info) -> beginnings.put(partition, info.offset()));
      return between(committed(admin, offsets), beginnings);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartFailure("interrupted while offsets were read", e);
    } catch (ExecutionException e) {
      String why = OneLine.of(e.getCause());
      throw new StartFailure("offsets of triage's groups cannot be read: " + why, e);
    }
  }

  /**
   * Compares the group's offsets with the first offsets of its topics.
   *
   * @param committed the group's offsets, without partitions that have none
   */
  static List<String> between(
      Map<TopicPartition, Long> committed, Map<TopicPartition, Long> beginnings) {
    var lines = new ArrayList<String>();
    beginnings.keySet().stream()
        .sorted(
            Comparator.comparing(TopicPartition::topic).thenComparingInt(TopicPartition::partition))
        .forEach(each -> {
          long begins = beginnings.getOrDefault(each, 0L);
          Long at = committed.get(each);
          if (at == null && begins > 0) {
            lines.add(
                each
                    + " begins at offset "
                    + begins
                    + " and the group has no offset there: records"
                    + " may have been deleted unread");
          } else if (at != null && at < begins) {
            lines.add(each + ": " + (begins - at) + " records were deleted unread");
          }
        });
    return lines;
  }

  private static Map<TopicPartition, Long> committed(Admin admin, Offsets offsets)
      throws InterruptedException, ExecutionException {
    try {
      var committed = new HashMap<TopicPartition, Long>();
      offsets
          .of(admin)
          .forEach((partition, offset) -> {
            if (offset != null) {
              committed.put(partition, offset.offset());
            }
          });
      return committed;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof GroupIdNotFoundException) {
        return Map.of();
      }
      throw e;
    }
  }
}
