package dev.flyball.ops.console.projection;

import dev.flyball.kafka.KafkaClients;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.Consumer;
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
  private static final int ANSWER_MILLIS = 5_000;

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

  /** Does what {@link #assign} does if a topic is missing and it is time to look it up again. */
  void assignMissing() {
    if (looked.plus(LOOK).isBefore(Instant.now())) {
      assign();
    }
  }

  /**
   * Assigns topics that have appeared, after checking that the projection's rows belong to this
   * cluster and were read from these topics.
   */
  void assign() {
    looked = Instant.now();
    if (missing.isEmpty()) {
      return;
    }
    var found = new HashMap<String, TopicDescription>();
    var ids = new HashMap<String, String>();
    describe(found, ids);
    if (missing.stream().noneMatch(found::containsKey)) {
      return;
    }
    var partitions = new HashSet<TopicPartition>();
    for (TopicDescription topic : found.values()) {
      topic
          .partitions()
          .forEach(it -> partitions.add(new TopicPartition(topic.name(), it.partition())));
    }
    Map<TopicPartition, Long> begins = asking.beginningOffsets(partitions);
    Map<TopicPartition, Long> ends = asking.endOffsets(partitions);
    projection.commit(() -> {
      var _ = projection.belongTo(ids, ends);
      consumer.assign(partitions);
      for (TopicPartition partition : partitions) {
        consumer.seek(partition, begin(partition, begins.getOrDefault(partition, 0L)));
      }
    });
    missing.removeAll(found.keySet());
  }

  /** Where each partition ends now. */
  Map<TopicPartition, Long> ends() {
    assign();
    return asking.endOffsets(consumer.assignment());
  }

  @Override
  public void close() {
    asking.close();
  }

  /** Where to continue; records that the topic no longer keeps are skipped, which the log says. */
  private long begin(TopicPartition partition, long first) {
    Optional<Long> next = projection.next(partition);
    if (next.isPresent() && next.get() < first) {
      LOG.warn(
          "records were deleted before the console read them; going on with the oldest that"
              + " exists: topic={} partition={} offset={} from={}",
          partition.topic(),
          partition.partition(),
          next.get(),
          first);
    }
    return Math.max(first, next.orElse(0L));
  }

  private void describe(Map<String, TopicDescription> found, Map<String, String> ids) {
    Set<String> wanted = new HashSet<>(names);
    try (Admin admin = clients.admin("console")) {
      var cluster = new DescribeClusterOptions().timeoutMs(ANSWER_MILLIS);
      var list = new ListTopicsOptions().timeoutMs(ANSWER_MILLIS);
      var describe = new DescribeTopicsOptions().timeoutMs(ANSWER_MILLIS);
      ids.put("cluster", admin.describeCluster(cluster).clusterId().get());
      wanted.retainAll(admin.listTopics(list).names().get());
      found.putAll(admin.describeTopics(wanted, describe).allTopicNames().get());
      found.forEach((name, topic) -> ids.put(name, topic.topicId().toString()));
    } catch (ExecutionException | InterruptedException e) {
      throw ProjectionInput.failed(e);
    }
  }
}
