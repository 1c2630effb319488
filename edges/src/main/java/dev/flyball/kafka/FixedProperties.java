package dev.flyball.kafka;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The Kafka properties that no configuration may change, because a promise of Flyball depends on
 * their values. Every other property passes through to the clients.
 */
public final class FixedProperties {
  /** What Kafka Streams puts before the properties of one of its clients. */
  private static final List<String> STREAMS_PREFIXES =
      List.of("main.consumer.", "restore.consumer.", "global.consumer.", "consumer.", "producer.");

  /** The fixed value, empty where no value may be given, and what it protects. */
  private record Fixed(String value, String reason) {}

  private static final Map<String, Fixed> ALL =
      """
      acks | all | a record that only one broker has is lost with it
      enable.idempotence | true | a send that is repeated would count twice
      partitioner.class | | all records of an item must be in one partition
      partitioner.ignore.keys | false | all records of an item must be in one partition
      isolation.level | read_committed | cancelled transactions would be processed
      enable.auto.commit | false | a record would count as read before its work
      auto.offset.reset | earliest | records would be skipped
      allow.auto.create.topics | false | a topic would be created with the wrong settings
      group.id | | Flyball derives this name from topics.prefix
      group.instance.id | | Flyball derives this name from topics.prefix
      transactional.id | | Flyball derives this name from topics.prefix
      application.id | | Flyball derives this name from topics.prefix
      key.serializer | | Flyball's records have one form
      value.serializer | | Flyball's records have one form
      key.deserializer | | Flyball's records have one form
      value.deserializer | | Flyball's records have one form
      default.key.serde | | Flyball's records have one form
      default.value.serde | | Flyball's records have one form
      processing.guarantee | exactly_once_v2 | sessions would start twice
      group.protocol | | the stages of triage depend on it
      num.stream.threads | 1 | the stages of triage depend on it
      default.timestamp.extractor | | the stages of triage depend on it
      state.dir | | it is in the data folder: set data (--data)
      replication.factor | | all topics have the same: set topics.replication
      """
          .lines()
          .map(line -> line.split(" *[|] *"))
          .collect(Collectors.toMap(row -> row[0], row -> new Fixed(row[1], row[2])));

  private FixedProperties() {}

  /**
   * What is wrong with a property, in words that follow its name; empty if it may be set.
   *
   * @param property its name, also with a prefix of Kafka Streams
   */
  public static Optional<String> problem(String property, String value) {
    Fixed fixed = ALL.get(bare(property));
    if (fixed == null || (!fixed.value().isEmpty() && fixed.value().equals(value.strip()))) {
      return Optional.empty();
    }
    return Optional.of(
        (fixed.value().isEmpty() ? "cannot be set" : "must be " + fixed.value())
            + ": "
            + fixed.reason()
            + "; remove it");
  }

  private static String bare(String property) {
    for (String prefix : STREAMS_PREFIXES) {
      if (property.startsWith(prefix)) {
        return property.substring(prefix.length());
      }
    }
    return property;
  }
}
