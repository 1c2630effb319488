package dev.flyball.triage.topology;

import dev.flyball.contract.text.OneLine;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.telemetry.Health;
import dev.flyball.ops.telemetry.StartFailure;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds records that were deleted by their topic's retention before their group read them: it was
 * stopped for too long, or its offsets expired. The group goes on with what is left, and nothing
 * else would show the gap.
 */
public final class ReadGaps {
  private static final Logger LOG = LoggerFactory.getLogger(ReadGaps.class);

  private ReadGaps() {}

  /**
   * Degraded if a group misses, or may miss, records: an operator has to see the gap. The log has a
   * line for each partition.
   *
   * @param reads the topics that each group reads
   * @throws StartFailure if the broker does not answer
   */
  public static Health find(KafkaClients clients, Map<String, List<String>> reads) {
    List<String> lines =
        reads.entrySet().stream()
            .flatMap(each -> find(clients, each.getKey(), each.getValue()).stream())
            .toList();
    lines.forEach(line -> LOG.error("records are missing: {}", line));
    return lines.isEmpty()
        ? Health.healthy()
        : Health.degraded(
            "triage-gaps",
            "triage: "
                + lines.getFirst()
                + (lines.size() == 1 ? "" : "; " + (lines.size() - 1) + " more in the log"));
  }

  private static List<String> find(KafkaClients clients, String group, List<String> topics) {
    try (var consumer = clients.consumer("read-gaps");
        Admin admin = clients.admin("read-gaps")) {
      List<TopicPartition> all =
          topics.stream()
              .flatMap(topic -> consumer.partitionsFor(topic).stream())
              .map(each -> new TopicPartition(each.topic(), each.partition()))
              .sorted(
                  Comparator.comparing(TopicPartition::topic)
                      .thenComparingInt(TopicPartition::partition))
              .toList();
      Map<TopicPartition, OffsetAndMetadata> read = committed(admin, group);
      Map<TopicPartition, Long> begins = consumer.beginningOffsets(all);
      return all.stream()
          .flatMap(each -> line(each, read.get(each), begins.getOrDefault(each, 0L)).stream())
          .toList();
    } catch (AuthorizationException e) {
      throw new StartFailure(
          OneLine.of(e.getMessage())
              + "; give this login the rights that `./flyball topics --print-acls` prints",
          e);
    } catch (KafkaException e) {
      throw new StartFailure("offsets of " + group + " cannot be read: " + OneLine.of(e), e);
    }
  }

  /**
   * Asked as an administrator: a consumer of the group gets no answer while a transaction with its
   * offsets is open. That of a killed process stays open for a minute, unless the start that waits
   * here ends it.
   */
  private static Map<TopicPartition, OffsetAndMetadata> committed(Admin admin, String group) {
    try {
      return admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata().get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof GroupIdNotFoundException) {
        return Map.of();
      }
      throw switch (e.getCause()) {
        case GroupAuthorizationException _ -> GroupAuthorizationException.forGroupId(group);
        case KafkaException known -> known;
        case null, default -> new KafkaException(e);
      };
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
  }

  private static Optional<String> line(
      TopicPartition partition, @Nullable OffsetAndMetadata read, long begins) {
    if (read == null) {
      return begins == 0
          ? Optional.empty()
          : Optional.of(
              partition
                  + " begins at offset "
                  + begins
                  + " and the group has no offset there: records may have been deleted unread");
    }
    return read.offset() >= begins
        ? Optional.empty()
        : Optional.of(partition + ": " + (begins - read.offset()) + " records were deleted unread");
  }
}
