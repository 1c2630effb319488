package dev.flyball.program.roles;

import dev.flyball.broker.BrokerConfig;
import dev.flyball.broker.BrokerSecret;
import dev.flyball.broker.EmbeddedBroker;
import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.contract.json.RecordJson;
import dev.flyball.kafka.KafkaClients;
import dev.flyball.program.config.AppConfigurations;
import dev.flyball.program.config.Configuration;
import dev.flyball.program.config.ConfigurationError;
import dev.flyball.program.config.ConfigurationError.Problem;
import dev.flyball.program.config.Keys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the Kafka for a command: the configured one, or that of an {@code up} or {@code run} on the
 * data folder. Such a service writes its address into the folder, together with which process it
 * is, because the file survives a kill: another program may use the port by then.
 */
public final class KafkaFinder {
  private static final Logger LOG = LoggerFactory.getLogger(KafkaFinder.class);
  private static final String NAME = "kafka.address";
  private static final String ORIGIN = "data folder";

  /** Commands have their own Kafka properties, as roles have. */
  private static final String OPERATOR = "operator";

  private KafkaFinder() {}

  /** Clients of that Kafka; empty if none is configured and no service runs on the data folder. */
  public static Optional<KafkaClients> clients(Configuration configuration, String purpose) {
    Path home = home(configuration);
    Optional<Configuration> found =
        configuration.bootstrapServers().isPresent()
            ? Optional.of(withSecret(configuration, home))
            : of(home).map(known -> known.over(configuration, home));
    return found.map(it -> new KafkaClients(new AppConfigurations(it).kafka(OPERATOR), purpose));
  }

  /**
   * The configuration of a role in a separate process: with the secret of the {@code up} that
   * {@code broker.data} names, also while that service is stopped.
   *
   * @throws ConfigurationError if there never was one, or if other servers are configured, too
   */
  public static Configuration forRole(Configuration configuration) {
    if (configuration.find(Keys.BROKER_DATA).isEmpty()) {
      return withSecret(configuration, configuration.get(Keys.DATA));
    }
    Path home = configuration.get(Keys.BROKER_DATA);
    Map<String, String> secret =
        BrokerSecret.clientProperties(broker(home))
            .orElseThrow(() ->
                configuration.error(
                    Keys.BROKER_DATA,
                    "broker.data: "
                        + home
                        + " holds no embedded Kafka that this user may write to; name the data"
                        + " folder of an `up` of the same user"));
    refuseOthers(configuration, home, secret);
    return configuration.onEmbedded(secret, "broker.data");
  }

  /** Rejects other configured servers: one of the two would be ignored silently. */
  private static void refuseOthers(
      Configuration configuration, Path home, Map<String, String> secret) {
    var same = new HashSet<>(List.of(secret.getOrDefault("bootstrap.servers", "")));
    last(home).ifPresent(known -> same.add(known.servers()));
    List<Problem> others =
        configuration.servers().stream()
            .filter(row -> !same.contains(row.value()))
            .map(row ->
                new Problem(
                    row.source(),
                    row.key(),
                    row.key()
                        + ": "
                        + row.value()
                        + " is not the Kafka of broker.data "
                        + home
                        + " ("
                        + configuration.origin(Keys.BROKER_DATA)
                        + "); remove one of the two"))
            .toList();
    if (!others.isEmpty()) {
      throw new ConfigurationError(others);
    }
  }

  /** The folder of the embedded Kafka that a command would use if its service ran. */
  public static Path broker(Configuration configuration) {
    return broker(home(configuration));
  }

  private static Path home(Configuration configuration) {
    return configuration.find(Keys.BROKER_DATA).orElse(configuration.get(Keys.DATA));
  }

  /** Adds the secret if the configured servers are those of the folder's own service. */
  private static Configuration withSecret(Configuration configuration, Path home) {
    return of(home)
        .filter(Known::embedded)
        .filter(
            known -> configuration.bootstrapServers().filter(known.servers()::equals).isPresent())
        .map(known -> known.over(configuration, home))
        .orElse(configuration);
  }

  /**
   * The Kafka that a data folder names.
   *
   * @param owner the process that wrote it
   * @param servers where every client may read
   * @param embedded whether its secret is in the data folder
   */
  record Known(Identity owner, String servers, boolean embedded) {
    /** A client's configuration; without access to the secret, it can only read. */
    Configuration over(Configuration configuration, Path data) {
      Map<String, String> plain = Map.of("bootstrap.servers", servers);
      return embedded
          ? configuration.onEmbedded(
              BrokerSecret.clientProperties(broker(data)).orElse(plain), ORIGIN)
          : configuration.withKafka(plain, ORIGIN);
    }
  }

  /** The folder of the embedded broker of a data folder. */
  static Path broker(Path data) {
    return data.resolve("kafka");
  }

  /** Starts an embedded Kafka in a data folder and records its address. */
  public static EmbeddedBroker start(Path data, UnaryOperator<BrokerConfig> settings) {
    EmbeddedBroker started = EmbeddedBroker.start(settings.apply(BrokerConfig.in(broker(data))));
    tell(data, started.bootstrapServers(), true);
    return started;
  }

  /** Records the address; commands that cannot read it later need the servers as an option. */
  static void tell(Path data, String servers, boolean embedded) {
    Path next = data.resolve(NAME + ".next");
    try {
      Files.writeString(next, RecordJson.write(new Known(Identity.own(), servers, embedded)));
      Files.move(next, data.resolve(NAME), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      LOG.warn("commands will not find Kafka by {}: {}", data, e.toString());
    }
  }

  /** The address, if the process that wrote it still runs. */
  static Optional<Known> of(Path data) {
    return last(data).filter(known -> known.owner().alive());
  }

  /** The address of the folder's Kafka when it last started. */
  private static Optional<Known> last(Path data) {
    return DataLock.read(data.resolve(NAME), Known.class);
  }
}
