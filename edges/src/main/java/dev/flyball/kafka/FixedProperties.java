package dev.flyball.kafka;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The Kafka properties that no configuration may change, because a promise of Flyball depends on
 * their values. Every other property passes through to the clients.
 */
public final class FixedProperties {
  /** What Kafka Streams puts before the properties of one of its clients. */
  private static final List<String> STREAMS_PREFIXES =
      List.of("main.consumer.", "restore.consumer.", "global.consumer.", "consumer.", "producer.");

  private static final String NAMED = "Flyball derives this name from topics.prefix";
  private static final String FORM = "Flyball's records have one form";
  private static final String SAME_PARTITION = "all records of an item must be in one partition";
  private static final String ONE_STREAM = "the stages of triage depend on it";

  /** The fixed value, empty where no value may be given, and what it protects. */
  private record Fixed(String value, String reason) {}

  private static final Map<String, Fixed> ALL = all();

  private FixedProperties() {}

  private static Map<String, Fixed> all() {
    var all = new HashMap<String, Fixed>();
    all.put("acks", new Fixed("all", "a record that only one broker has is lost with it"));
    all.put("enable.idempotence", new Fixed("true", "a send that is repeated would count twice"));
    all.put("partitioner.class", new Fixed("", SAME_PARTITION));
    all.put("partitioner.ignore.keys", new Fixed("false", SAME_PARTITION));
    all.put(
        "isolation.level",
        new Fixed("read_committed", "cancelled transactions would be processed"));
    all.put(
        "enable.auto.commit", new Fixed("false", "a record would count as read before its work"));
    all.put("auto.offset.reset", new Fixed("earliest", "records would be skipped"));
    all.put(
        "allow.auto.create.topics",
        new Fixed("false", "a topic would be created with the wrong settings"));
    for (String name : List.of("group.id", "group.instance.id", "transactional.id")) {
      all.put(name, new Fixed("", NAMED));
    }
    all.put("application.id", new Fixed("", NAMED));
    for (String name :
        List.of(
            "key.serializer",
            "value.serializer",
            "key.deserializer",
            "value.deserializer",
            "default.key.serde",
            "default.value.serde")) {
      all.put(name, new Fixed("", FORM));
    }
    all.put("processing.guarantee", new Fixed("exactly_once_v2", "sessions would start twice"));
    all.put("group.protocol", new Fixed("", ONE_STREAM));
    all.put("num.stream.threads", new Fixed("1", ONE_STREAM));
    all.put("default.timestamp.extractor", new Fixed("", ONE_STREAM));
    all.put("state.dir", new Fixed("", "it is in the data folder: set data (--data)"));
    all.put(
        "replication.factor", new Fixed("", "all topics have the same: set topics.replication"));
    return Map.copyOf(all);
  }

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
