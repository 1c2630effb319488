package dev.flyball.ops.console.projection;

import dev.flyball.kafka.KafkaClients;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which topics are read, and from where: the position stored with the rows, if it still exists.
 * Without that check a consumer that finds its position deleted would read the topic again on top
 * of the rows that it made before. Used by the projection's thread.
 */
final class ProjectionTopics implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ProjectionTopics.class);

  /** How often a missing topic is looked up again. */
  private static final Duration LOOK = Duration.ofSeconds(1);

  /** Kafka's own limit is a minute, in which health would not change. */
  private static final ListTopicsOptions ANSWER = new ListTopicsOptions().timeoutMs(5_000);

  private final KafkaClients clients;
  private final Projection projection;
  private final Consumer<String, byte[]> consumer;

  /**
   * Asks for offsets. A broker answers the questions of a connection one after the other, so those
   * of {@link #consumer} would wait for its fetch, which waits for records.
   */
  private final Consumer<String, byte[]> asking;

  private final Set<String> names;
  private final Set<String> missing;
  private Instant looked = Instant.MIN;

  /**
   * Assigns nothing yet.
   *
   * @param consumer must throw where its position does not exist, instead of choosing another
   */
  ProjectionTopics(
      KafkaClients clients,
      Projection projection,
      Consumer<String, byte[]> consumer,
      Set<String> names) {
    this.clients = clients;
    this.projection = projection;
    this.consumer = consumer;
    this.asking = clients.consumer("projection-ends");
    this.names = Set.copyOf(names);
    this.missing = new HashSet<>(names);
  }

  /**
   * Assigns topics that have appeared, after checking that the projection's rows were read from
   * these topics. Looks for them once in a while.
   */
  void assignMissing() {
    if (!missing.isEmpty() && looked.plus(LOOK).isBefore(Instant.now())) {
      assign();
    }
  }

  private void assign() {
    looked = Instant.now();
    Map<String, String> ids = ids();
    if (Collections.disjoint(missing, ids.keySet())) {
      return;
    }
    List<TopicPartition> partitions =
        ids.keySet().stream()
            .flatMap(topic -> asking.partitionsFor(topic).stream())
            .map(each -> new TopicPartition(each.topic(), each.partition()))
            .toList();
    Map<TopicPartition, Long> begins = asking.beginningOffsets(partitions);
    Map<TopicPartition, Long> ends = asking.endOffsets(partitions);
    projection.commit(() -> {
      var _ = projection.belongTo(ids, ends);
      consumer.assign(partitions);
      begins.forEach((partition, first) -> consumer.seek(partition, begin(partition, first)));
    });
    missing.removeAll(ids.keySet());
  }

  Map<TopicPartition, Long> ends() {
    if (!missing.isEmpty()) {
      assign();
    }
    return asking.endOffsets(consumer.assignment());
  }

  @Override
  public void close() {
    asking.close();
  }

  /** Where to continue; records that the topic no longer keeps are skipped, which the log says. */
  private long begin(TopicPartition partition, long first) {
    long next = projection.next(partition).orElse(first);
    if (next < first) {
      LOG.warn(
          "records were deleted before the console read them; going on with the oldest that"
              + " exists: topic={} partition={} offset={} from={}",
          partition.topic(),
          partition.partition(),
          next,
          first);
    }
    return Math.max(first, next);
  }

  /** The ids of the topics that exist, by name. */
  private Map<String, String> ids() {
    var ids = new HashMap<String, String>();
    try (Admin admin = clients.admin("console")) {
      for (var topic : admin.listTopics(ANSWER).listings().get()) {
        ids.put(topic.name(), topic.topicId().toString());
      }
    } catch (ExecutionException e) {
      throw new KafkaException(String.valueOf(e.getCause()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new KafkaException(e);
    }
    ids.keySet().retainAll(names);
    return ids;
  }
}
