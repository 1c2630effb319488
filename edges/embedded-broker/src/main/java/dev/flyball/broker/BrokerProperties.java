package dev.flyball.broker;

import static java.util.Locale.ROOT;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a single small node. Each one that differs from Kafka's default has its reason;
 * the figures were measured on two cores (docs/design.md).
 */
final class BrokerProperties {
  static final int NODE_ID = 1;
  static final String CONTROLLER = "CONTROLLER";

  private static final String PLAIN = "PLAINTEXT";
  private static final String OWNER = "OWNER";

  private BrokerProperties() {}

  /**
   * Returns all settings.
   *
   * @param secret null where every client may write
   */
  static Map<String, String> of(BrokerConfig config, Ports ports, @Nullable BrokerSecret secret) {
    var all = new HashMap<String, String>();
    all.putAll(identity(config, ports));
    all.putAll(secret == null ? everyoneWrites(config, ports) : ownerWrites(config, ports, secret));
    all.putAll(ONE_REPLICA);
    all.putAll(SMALL);
    all.putAll(QUICK);
    all.putAll(PATIENT);
    return all;
  }

  private static Map<String, String> identity(BrokerConfig config, Ports ports) {
    return Map.of(
        "log.dirs",
        config.directory().toString(),
        "process.roles",
        "broker,controller",
        "node.id",
        Integer.toString(NODE_ID),
        "controller.listener.names",
        CONTROLLER,
        // The controller's port may change with every start; no other node stores it.
        "controller.quorum.voters",
        NODE_ID + "@" + BrokerConfig.LOOPBACK + ":" + ports.controller());
  }

  private static Map<String, String> everyoneWrites(BrokerConfig config, Ports ports) {
    return Map.of(
        "listeners",
        listener(PLAIN, config.host(), ports.broker()) + "," + controller(ports),
        "listener.security.protocol.map",
        PLAIN + ":PLAINTEXT," + CONTROLLER + ":PLAINTEXT",
        "inter.broker.listener.name",
        PLAIN);
  }

  /** The controller's listener needs the secret too: a client that writes there controls all. */
  private static Map<String, String> ownerWrites(
      BrokerConfig config, Ports ports, BrokerSecret secret) {
    var all = new HashMap<String, String>();
    all.put(
        "listeners",
        listener(PLAIN, config.host(), ports.broker())
            + ","
            + listener(OWNER, BrokerConfig.LOOPBACK, ports.owner())
            + ","
            + controller(ports));
    all.put(
        "listener.security.protocol.map",
        PLAIN + ":PLAINTEXT," + OWNER + ":SASL_PLAINTEXT," + CONTROLLER + ":SASL_PLAINTEXT");
    all.put("inter.broker.listener.name", OWNER);
    all.put("authorizer.class.name", BrokerRights.class.getName());
    all.put("sasl.enabled.mechanisms", BrokerSecret.MECHANISM);
    all.put("sasl.mechanism.inter.broker.protocol", BrokerSecret.MECHANISM);
    all.put("sasl.mechanism.controller.protocol", BrokerSecret.MECHANISM);
    for (String listener : List.of(OWNER, CONTROLLER)) {
      String prefix =
          ("listener.name." + listener + "." + BrokerSecret.MECHANISM + ".").toLowerCase(ROOT);
      all.put(prefix + "sasl.jaas.config", secret.jaas());
      all.put(prefix + "sasl.server.callback.handler.class", SecretScram.class.getName());
    }
    return all;
  }

  static String controller(Ports ports) {
    return listener(CONTROLLER, BrokerConfig.LOOPBACK, ports.controller());
  }

  private static String listener(String name, String host, int port) {
    return name + "://" + host + ":" + port;
  }

  private static final Map<String, String> ONE_REPLICA =
      Map.ofEntries(
          Map.entry("default.replication.factor", "1"),
          Map.entry("min.insync.replicas", "1"),
          Map.entry("offsets.topic.replication.factor", "1"),
          Map.entry("offsets.topic.num.partitions", "1"),
          Map.entry("transaction.state.log.replication.factor", "1"),
          Map.entry("transaction.state.log.min.isr", "1"),
          Map.entry("transaction.state.log.num.partitions", "1"),
          Map.entry("share.coordinator.state.topic.replication.factor", "1"),
          Map.entry("share.coordinator.state.topic.min.isr", "1"),
          Map.entry("share.coordinator.state.topic.num.partitions", "1"),
          // A misspelt topic must be an error, not a new topic with wrong settings.
          Map.entry("auto.create.topics.enable", "false"));

  private static final Map<String, String> SMALL =
      Map.ofEntries(
          // 128 MB by default: the biggest single saving.
          Map.entry("log.cleaner.dedupe.buffer.size", "4194304"),
          Map.entry("num.network.threads", "2"),
          Map.entry("num.io.threads", "4"),
          Map.entry("background.threads", "2"),
          Map.entry("num.recovery.threads.per.data.dir", "2"),
          Map.entry("group.coordinator.threads", "1"),
          Map.entry("share.coordinator.threads", "1"),
          // Otherwise two index files of 10 MB each are reserved per partition, on a disk that may
          // be small.
          Map.entry("log.index.size.max.bytes", "1048576"),
          // Otherwise an idle node writes a record every half second.
          Map.entry("metadata.max.idle.interval.ms", "5000"),
          Map.entry("metric.reporters", ""));

  private static final Map<String, String> PATIENT =
      Map.of(
          // 7 days by default. A service that was stopped for longer would find the offsets of its
          // groups deleted and begin somewhere else. Five years, in minutes.
          "offsets.retention.minutes", Integer.toString(5 * 365 * 24 * 60),
          // An hour by default. A machine whose clock is further ahead could write nothing, and
          // after a clock was set back each record that Streams derives from an earlier one would
          // be rejected.
          "log.message.timestamp.after.max.ms", Long.toString(Long.MAX_VALUE));

  private static final Map<String, String> QUICK =
      Map.ofEntries(
          // The only node has no other node to take its partitions. One that was frozen for a while
          // must not lose their leadership (KAFKA-20734, see OldRegistration). A start after kill
          // -9 does not wait for it.
          Map.entry("broker.session.timeout.ms", "60000"),
          // 2 s by default. A start waits for the second one, and each costs as much as a request.
          Map.entry("broker.heartbeat.interval.ms", "500"),
          Map.entry("group.initial.rebalance.delay.ms", "0"),
          Map.entry("group.min.session.timeout.ms", "1000"),
          Map.entry("group.consumer.min.session.timeout.ms", "1000"),
          Map.entry("group.consumer.session.timeout.ms", "6000"),
          Map.entry("group.consumer.min.heartbeat.interval.ms", "100"),
          Map.entry("group.consumer.heartbeat.interval.ms", "1000"),
          Map.entry("group.consumer.assignment.interval.ms", "0"));
}
