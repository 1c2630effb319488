package dev.flyball.kafka;

import dev.flyball.contract.topic.TopicSpec;
import java.util.HashMap;
import java.util.Map;

/**
 * The settings that let an acknowledged record survive. With one replica every message is flushed.
 * With several, two must have the record and no replica that lacks it may become the leader.
 */
final class Durability {
  private static final String FLUSH = "flush.messages";
  private static final String IN_SYNC = "min.insync.replicas";
  private static final String UNCLEAN = "unclean.leader.election.enable";

  private Durability() {}

  /** The settings with which a topic is created. */
  static Map<String, String> atCreation(TopicSpec spec, int replication) {
    if (replication == 1) {
      return required(spec, 1);
    }
    return Map.of(IN_SYNC, "2", UNCLEAN, "false");
  }

  /** The settings that an existing topic must have. */
  static Map<String, String> required(TopicSpec spec, int replication) {
    var settings = new HashMap<String, String>();
    if (spec.durable() && replication == 1) {
      settings.put(FLUSH, "1");
    } else if (spec.durable()) {
      settings.put(IN_SYNC, "2");
      settings.put(UNCLEAN, "false");
    }
    return settings;
  }

  /**
   * Whether this setting may be added to a topic of one replica, because it only makes the topic
   * safer.
   */
  static boolean mayRaise(String name) {
    return name.equals(FLUSH);
  }

  /** Whether a found value is at least as safe as the wanted one. */
  static boolean satisfies(String name, String found, String wanted) {
    if (name.equals(IN_SYNC) && found.matches("[0-9]{1,9}")) {
      return Integer.parseInt(found) >= Integer.parseInt(wanted);
    }
    return found.equals(wanted);
  }
}
