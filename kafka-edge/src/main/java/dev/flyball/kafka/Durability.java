package dev.flyball.kafka;

import dev.flyball.contract.topic.TopicSpec;
import java.util.HashMap;
import java.util.Map;

/**
 * What makes an acknowledged record survive: with one replica every message is flushed, with
 * several two must have it and no replica that lacks it may become the leader.
 */
final class Durability {
  private static final String FLUSH = "flush.messages";
  private static final String IN_SYNC = "min.insync.replicas";
  private static final String UNCLEAN = "unclean.leader.election.enable";

  private Durability() {}

  /** What a topic is made with. */
  static Map<String, String> atCreation(TopicSpec spec, int replication) {
    if (replication == 1) {
      return required(spec, 1);
    }
    return Map.of(IN_SYNC, "2", UNCLEAN, "false");
  }

  /** What a topic that is there must have. */
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

  /** Whether a topic of one replica may be given a setting that only makes it safer. */
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
