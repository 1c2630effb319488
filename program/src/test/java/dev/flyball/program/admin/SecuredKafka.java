package dev.flyball.program.admin;

import dev.flyball.testkit.FreePort;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
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
record SecuredKafka(KafkaRaftServer server, int port, Path trusted) implements AutoCloseable {

  private static final List<String> ROLES =
      List.of("producer", "triage", "runner", "console", "operator");

  /** Starts one that speaks TLS with a certificate of this folder. */
  static SecuredKafka start(Path folder) throws IOException {
    int port = FreePort.take();
    int controller = FreePort.take();
    int internal = FreePort.take();
    Path data = folder.resolve("kafka");
    var certificates = new Certificates(folder);
    Path store = certificates.make("broker");
    var all = new Properties();
    all.load(
        new StringReader(
            """
            process.roles=broker,controller
            node.id=1
            controller.listener.names=CONTROLLER
            controller.quorum.voters=1@127.0.0.1:%d
            listeners=CLIENTS://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d,INTERNAL://127.0.0.1:%d
            listener.security.protocol.map=CLIENTS:SASL_SSL,CONTROLLER:PLAINTEXT,INTERNAL:PLAINTEXT
            inter.broker.listener.name=INTERNAL
            listener.name.clients.ssl.keystore.type=PKCS12
            listener.name.clients.ssl.keystore.location=%s
            listener.name.clients.ssl.keystore.password=%s
            sasl.enabled.mechanisms=PLAIN
            listener.name.clients.plain.sasl.jaas.config=%s
            authorizer.class.name=%s
            super.users=User:admin;User:ANONYMOUS
            log.dirs=%s
            offsets.topic.replication.factor=1
            transaction.state.log.replication.factor=1
            transaction.state.log.min.isr=1
            offsets.topic.num.partitions=1
            transaction.state.log.num.partitions=1
            default.replication.factor=1
            auto.create.topics.enable=false
            group.initial.rebalance.delay.ms=0
            log.cleaner.dedupe.buffer.size=4194304
            log.index.size.max.bytes=1048576
            """
                .formatted(
                    controller,
                    port,
                    controller,
                    internal,
                    store,
                    Certificates.PASSWORD,
                    users(),
                    UsedRights.class.getName(),
                    data)));
    format(data);
    var server = new KafkaRaftServer(new KafkaConfig(all, false), Time.SYSTEM);
    server.startup();
    return new SecuredKafka(server, port, certificates.certificate("broker"));
  }

  String bootstrapServers() {
    return "127.0.0.1:" + port;
  }

  /** The properties of a client of the administrator. */
  Map<String, String> properties() {
    var all = new HashMap<>(transport());
    all.put("sasl.jaas.config", login("admin"));
    return all;
  }

  /** How clients reach it, without their login. */
  private Map<String, String> transport() {
    return Map.of(
        "bootstrap.servers", bootstrapServers(),
        "security.protocol", "SASL_SSL",
        "ssl.truststore.type", "PEM",
        "ssl.truststore.location", trusted.toString(),
        "sasl.mechanism", "PLAIN");
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
    transport().forEach((name, value) -> lines.add(name + ": \"" + value + "\""));
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
    return Admin.create(new HashMap<String, Object>(properties()));
  }

  private static String users() {
    return login("admin").replace(";", "")
        + Stream.concat(Stream.of("admin"), ROLES.stream().map(role -> "flyball-" + role))
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
