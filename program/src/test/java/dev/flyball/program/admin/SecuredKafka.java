package dev.flyball.program.admin;

import dev.flyball.testkit.FreePort;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.Feature;
import org.apache.kafka.server.common.MetadataVersion;

/**
 * One Kafka in which every client signs in with a name and a password and may do what access rules
 * allow. The user {@code admin} may do everything, the others are those of the printed rules. A
 * user's password is its name and "-secret".
 */
record SecuredKafka(KafkaRaftServer server, int port, Map<String, String> transport)
    implements AutoCloseable {
  static final String ADMIN = "admin";

  private static final List<String> ROLES =
      List.of("producer", "triage", "runner", "console", "operator");

  /**
   * Starts one.
   *
   * @param more further settings of the broker
   * @param transport how clients reach it, without their login
   */
  static SecuredKafka start(Path folder, Map<String, String> more, Map<String, String> transport) {
    int port = FreePort.take();
    int controller = FreePort.take();
    int internal = FreePort.take();
    var all = new HashMap<String, String>();
    all.put("process.roles", "broker,controller");
    all.put("node.id", "1");
    all.put("controller.listener.names", "CONTROLLER");
    all.put("controller.quorum.voters", "1@127.0.0.1:" + controller);
    all.put(
        "listeners",
        "CLIENTS://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d,INTERNAL://127.0.0.1:%d"
            .formatted(port, controller, internal));
    all.put(
        "listener.security.protocol.map",
        "CLIENTS:"
            + transport.get("security.protocol")
            + ",CONTROLLER:PLAINTEXT,INTERNAL:PLAINTEXT");
    all.put("inter.broker.listener.name", "INTERNAL");
    all.put("sasl.enabled.mechanisms", "PLAIN");
    all.put("listener.name.clients.plain.sasl.jaas.config", users());
    all.put("authorizer.class.name", UsedRights.class.getName());
    all.put("super.users", "User:" + ADMIN + ";User:ANONYMOUS");
    all.put("log.dirs", folder.toString());
    for (String name :
        List.of(
            "offsets.topic.replication.factor",
            "transaction.state.log.replication.factor",
            "transaction.state.log.min.isr",
            "offsets.topic.num.partitions",
            "transaction.state.log.num.partitions",
            "default.replication.factor")) {
      all.put(name, "1");
    }
    all.put("auto.create.topics.enable", "false");
    all.put("group.initial.rebalance.delay.ms", "0");
    all.put("log.cleaner.dedupe.buffer.size", "4194304");
    all.put("log.index.size.max.bytes", "1048576");
    all.putAll(more);
    format(folder);
    var server = new KafkaRaftServer(new KafkaConfig(all, false), Time.SYSTEM);
    server.startup();
    return new SecuredKafka(server, port, transport);
  }

  String bootstrapServers() {
    return "127.0.0.1:" + port;
  }

  /** The properties of a client that signs in as this user. */
  Map<String, String> properties(String user) {
    var all = new HashMap<>(transport);
    all.put("bootstrap.servers", bootstrapServers());
    all.put("sasl.mechanism", "PLAIN");
    all.put("sasl.jaas.config", login(user));
    return all;
  }

  /** A user's login as Kafka's property has it. */
  static String login(String user) {
    return "org.apache.kafka.common.security.plain.PlainLoginModule required username=\""
        + user
        + "\" password=\""
        + user
        + "-secret\";";
  }

  /** The flyball.yaml line of a Kafka with one login for each role, in files of the folder. */
  String yaml() {
    var lines = new ArrayList<String>();
    lines.add("bootstrap.servers: \"" + bootstrapServers() + "\"");
    transport.forEach((name, value) -> lines.add(name + ": \"" + value + "\""));
    lines.add("sasl.mechanism: PLAIN");
    ROLES.forEach(role -> lines.add(role + ".sasl.jaas.config-file: " + role + ".login"));
    return "kafka: {" + String.join(", ", lines) + "}";
  }

  /** The files that {@link #yaml} names, with their contents. */
  static Map<String, String> loginFiles() {
    return ROLES.stream()
        .collect(Collectors.toMap(role -> role + ".login", role -> login("flyball-" + role)));
  }

  /** A client of the administrator. */
  Admin admin() {
    return Admin.create(new HashMap<String, Object>(properties(ADMIN)));
  }

  private static String users() {
    return login(ADMIN).replace(";", "")
        + Stream.concat(Stream.of(ADMIN), ROLES.stream().map(role -> "flyball-" + role))
            .map(user -> " user_" + user + "=\"" + user + "-secret\"")
            .collect(Collectors.joining())
        + ";";
  }

  private static void format(Path folder) {
    try {
      new Formatter()
          .setPrintStream(
              new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8))
          .setNodeId(1)
          .setClusterId(Uuid.randomUuid().toString())
          .setDirectories(List.of(folder.toString()))
          .setMetadataLogDirectory(folder.toString())
          .setControllerListenerName("CONTROLLER")
          .setSupportedFeatures(Feature.PRODUCTION_FEATURES)
          .setReleaseVersion(MetadataVersion.LATEST_PRODUCTION)
          .run();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    server.shutdown();
    server.awaitShutdown();
  }
}
