package dev.flyball.triage.topology;

import dev.flyball.contract.text.OneLine;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.ops.telemetry.StartFailure;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListStreamsGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListStreamsGroupOffsetsSpec;
import org.apache.kafka.clients.admin.StreamsGroupDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.GroupNotEmptyException;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.TopologyDescription;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Prepares the stream's group on the broker for this version's topology. Kafka 4.3 keeps a group's
 * topology for ever and rejects members with another one ("Topology updates are not supported
 * yet"). So a group of another version is created again with the offsets that it had. Meanwhile
 * they are kept under a separate name: whatever is killed, no offset is lost.
 */
final class StreamGroup {
  private static final Logger LOG = LoggerFactory.getLogger(StreamGroup.class);

  /**
   * A killed member remains in the group until its session ends; longer than the broker's 45 s for
   * that.
   */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final Duration LOOK = Duration.ofMillis(500);

  private final Admin admin;
  private final String group;
  private final String kept;

  private StreamGroup(Admin admin, String group) {
    this.admin = admin;
    this.group = group;
    this.kept = group + "-kept-offsets";
  }

  /** One part of the topology, as the broker knows it. */
  private record Part(Set<String> topics, Set<String> changelogs) {}

  /**
   * Ensures that the group admits members with this topology.
   *
   * @throws StartFailure if members with another topology stay
   */
  static void ready(KafkaClients clients, Topology topology) {
    String group = clients.topics().applicationId();
    try (Admin admin = clients.admin("stream-group")) {
      new StreamGroup(admin, group).fit(parts(group, topology));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartFailure("interrupted while looking at group " + group, e);
    }
  }

  private void fit(Set<Part> wanted) throws InterruptedException {
    StreamsGroupDescription found = describe();
    if (found != null && !found.subtopologies().isEmpty() && !parts(found).equals(wanted)) {
      LOG.info("group {} belongs to another version; recreated with its offsets", group);
      replace();
      found = null;
    }
    Map<TopicPartition, OffsetAndMetadata> offsets = keptOffsets();
    if (found == null && !offsets.isEmpty()) {
      ask(admin.alterConsumerGroupOffsets(group, offsets).all());
    }
    if (!offsets.isEmpty()) {
      ask(admin.deleteConsumerGroups(List.of(kept)).all());
    }
  }

  private @Nullable StreamsGroupDescription describe() throws InterruptedException {
    try {
      return admin.describeStreamsGroups(List.of(group)).all().get().get(group);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof GroupIdNotFoundException) {
        return null;
      }
      throw failed(e);
    }
  }

  /** Keeps the group's offsets. Waits for the last transaction's offsets, too. */
  private void keep() throws InterruptedException {
    var all = Map.of(group, new ListStreamsGroupOffsetsSpec());
    var options = new ListStreamsGroupOffsetsOptions().requireStable(true);
    Map<TopicPartition, OffsetAndMetadata> offsets =
        new HashMap<>(
            ask(admin.listStreamsGroupOffsets(all, options).partitionsToOffsetAndMetadata(group)));
    offsets.values().removeIf(offset -> offset == null);
    if (!offsets.isEmpty()) {
      ask(admin.alterConsumerGroupOffsets(kept, offsets).all());
    }
  }

  /**
   * Keeps the offsets once no member is left that could move them. A member of the other version
   * goes on until it stops, and its work must not be done twice.
   */
  private void replace() throws InterruptedException {
    for (long looks = PATIENCE.dividedBy(LOOK); looks > 0; looks--) {
      StreamsGroupDescription now = describe();
      if (now == null || (now.groupState() == GroupState.EMPTY && deleted())) {
        return;
      }
      Thread.sleep(LOOK);
    }
    throw new StartFailure(
        "group " + group + " has members of another version; stop every other triage first");
  }

  private boolean deleted() throws InterruptedException {
    keep();
    try {
      admin.deleteStreamsGroups(List.of(group)).all().get();
      return true;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof GroupNotEmptyException) {
        return false;
      }
      throw failed(e);
    }
  }

  private Map<TopicPartition, OffsetAndMetadata> keptOffsets() throws InterruptedException {
    try {
      var options = new ListConsumerGroupOffsetsOptions();
      Map<TopicPartition, OffsetAndMetadata> offsets =
          new HashMap<>(
              admin.listConsumerGroupOffsets(kept, options).partitionsToOffsetAndMetadata().get());
      offsets.values().removeIf(offset -> offset == null);
      return offsets;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof GroupIdNotFoundException) {
        return Map.of();
      }
      throw failed(e);
    }
  }

  private static Set<Part> parts(StreamsGroupDescription found) {
    return found.subtopologies().stream()
        .map(
            part -> new Part(Set.copyOf(part.sourceTopics()), part.stateChangelogTopics().keySet()))
        .collect(Collectors.toSet());
  }

  private static Set<Part> parts(String group, Topology topology) {
    return topology.describe().subtopologies().stream()
        .map(part -> {
          var topics = new HashSet<String>();
          var changelogs = new HashSet<String>();
          for (TopologyDescription.Node node : part.nodes()) {
            switch (node) {
              case TopologyDescription.Source source -> topics.addAll(source.topicSet());
              case TopologyDescription.Processor processor ->
                  processor
                      .stores()
                      .forEach(each -> changelogs.add(group + "-" + each + "-changelog"));
              default -> {}
            }
          }
          return new Part(topics, changelogs);
        })
        .collect(Collectors.toSet());
  }

  private <T> T ask(KafkaFuture<T> answer) throws InterruptedException {
    try {
      return answer.get();
    } catch (ExecutionException e) {
      throw failed(e);
    }
  }

  private StartFailure failed(ExecutionException e) {
    String why = OneLine.of(e.getCause());
    return new StartFailure("group " + group + " cannot be read: " + why, e);
  }
}
