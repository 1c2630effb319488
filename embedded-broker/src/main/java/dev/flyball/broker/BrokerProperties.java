package dev.flyball.broker;

import java.util.HashMap;
import java.util.Map;

/**
 * The settings of a single small node. Each one that differs from Kafka's default says why; the
 * figures were measured on two cores (docs/decisions/0006).
 */
final class BrokerProperties {
  static final int NODE_ID = 1;
  static final String CONTROLLER = "CONTROLLER";

  private BrokerProperties() {}

  static Map<String, String> of(BrokerConfig config, Ports ports) {
    var all = new HashMap<String, String>();
    all.putAll(identity(config, ports));
    all.putAll(ONE_REPLICA);
    all.putAll(SMALL);
    all.putAll(QUICK);
    all.putAll(PATIENT);
    all.putAll(config.overrides());
    return all;
  }

  private static Map<String, String> identity(BrokerConfig config, Ports ports) {
    return Map.of(
        "process.roles",
        "broker,controller",
        "node.id",
        Integer.toString(NODE_ID),
        "log.dirs",
        config.directory().toString(),
        "listeners",
        "PLAINTEXT://"
            + config.host()
            + ":"
            + ports.broker()
            + ","
            + CONTROLLER
            + "://"
            + BrokerConfig.LOOPBACK
            + ":"
            + ports.controller(),
        "listener.security.protocol.map",
        "PLAINTEXT:PLAINTEXT," + CONTROLLER + ":PLAINTEXT",
        "controller.listener.names",
        CONTROLLER,
        "inter.broker.listener.name",
        "PLAINTEXT",
        // The controller's port may change with every start; nobody else remembers it.
        "controller.quorum.voters",
        NODE_ID + "@" + BrokerConfig.LOOPBACK + ":" + ports.controller());
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
          // Two index files of 10 MB each are reserved per partition otherwise, on a disk that may
          // be small.
          Map.entry("log.index.size.max.bytes", "1048576"),
          // A write every half second to say that nothing happened.
          Map.entry("metadata.max.idle.interval.ms", "5000"),
          Map.entry("metric.reporters", ""));

  private static final Map<String, String> PATIENT =
      Map.of(
          // 7 days by default: a service that was stopped for longer would find the offsets of its
          // groups gone and begin somewhere else. Five years, in minutes.
          "offsets.retention.minutes", Integer.toString(5 * 365 * 24 * 60));

  private static final Map<String, String> QUICK =
      Map.ofEntries(
          // The only node has nobody to hand its partitions to: one that was frozen for a while
          // must
          // not find itself without leaders (KAFKA-20734, see OldRegistration). A start after kill
          // -9 does not wait for it.
          Map.entry("broker.session.timeout.ms", "60000"),
          // A start waits for the second heartbeat.
          Map.entry("broker.heartbeat.interval.ms", "300"),
          Map.entry("group.initial.rebalance.delay.ms", "0"),
          Map.entry("group.min.session.timeout.ms", "1000"),
          Map.entry("group.consumer.min.session.timeout.ms", "1000"),
          Map.entry("group.consumer.session.timeout.ms", "6000"),
          Map.entry("group.consumer.min.heartbeat.interval.ms", "100"),
          Map.entry("group.consumer.heartbeat.interval.ms", "1000"),
          Map.entry("group.consumer.assignment.interval.ms", "0"),
          // A killed Streams app is in its group until this has passed, and its tasks wait for it.
          Map.entry("group.streams.min.session.timeout.ms", "1000"),
          Map.entry("group.streams.session.timeout.ms", "5000"),
          Map.entry("group.streams.min.heartbeat.interval.ms", "100"),
          Map.entry("group.streams.heartbeat.interval.ms", "500"),
          Map.entry("group.streams.initial.rebalance.delay.ms", "0"),
          Map.entry("group.streams.assignment.interval.ms", "0"));
}
