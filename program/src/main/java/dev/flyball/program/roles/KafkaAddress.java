package dev.flyball.program.roles;

import dev.flyball.broker.BrokerSecret;
import dev.flyball.broker.EmbeddedBroker;
import dev.flyball.containment.ContainedProcess.Identity;
import dev.flyball.program.config.Configuration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The address of the Kafka of a data folder's {@code up} or {@code run}, for commands that are
 * given the folder. The file names the process that wrote it, because it survives a kill: another
 * program may use the port by then.
 */
public final class KafkaAddress {
  private static final Logger LOG = LoggerFactory.getLogger(KafkaAddress.class);
  private static final String NAME = "kafka.address";
  private static final String EMBEDDED = "embedded";
  private static final String ORIGIN = "data folder";

  private KafkaAddress() {}

  /**
   * The Kafka that a data folder names.
   *
   * @param servers where every client may read
   * @param embedded whether its secret is in the data folder
   */
  record Known(String servers, boolean embedded) {
    /**
     * A client's configuration; without access to the secret, as for another user, the client can
     * only read.
     */
    Configuration over(Configuration configuration, Path data) {
      Map<String, String> plain = Map.of("bootstrap.servers", servers);
      return embedded
          ? configuration.onEmbedded(secret(data).orElse(plain), ORIGIN)
          : configuration.withKafka(plain, ORIGIN);
    }
  }

  /** The folder of the embedded broker of a data folder. */
  public static Path broker(Path data) {
    return data.resolve("kafka");
  }

  /**
   * The client properties for writing to the embedded broker of a data folder; empty if this user
   * has no access to them.
   */
  static Optional<Map<String, String>> secret(Path data) {
    return BrokerSecret.clientProperties(broker(data));
  }

  /** Records the address of an embedded Kafka. */
  public static void tell(Path data, EmbeddedBroker broker) {
    tell(data, broker.bootstrapServers() + " " + EMBEDDED);
  }

  /** Records the address; commands that cannot read it later need the servers as an option. */
  public static void tell(Path data, String servers) {
    Path next = data.resolve(NAME + ".next");
    try {
      Files.writeString(next, DataLock.ownLine() + " " + servers + "\n");
      Files.move(next, data.resolve(NAME), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      LOG.warn("commands will not find Kafka by {}: {}", data, e.toString());
    }
  }

  /** The address, if the process that wrote it still runs. */
  static Optional<Known> of(Path data) {
    return written(data)
        .filter(line -> DataLock.owner(line).filter(Identity::alive).isPresent())
        .map(KafkaAddress::known);
  }

  /** Whether this was the address of the folder's Kafka when it last started. */
  static boolean wasLast(Path data, String servers) {
    return written(data).filter(line -> known(line).servers().equals(servers)).isPresent();
  }

  private static Known known(String line) {
    String[] words = line.strip().split(" ");
    return new Known(words[4], words.length > 5 && words[5].equals(EMBEDDED));
  }

  /** The line of the file, if it is whole. */
  private static Optional<String> written(Path data) {
    try {
      return Optional.of(Files.readString(data.resolve(NAME)))
          .filter(line -> line.strip().split(" ").length >= 5);
    } catch (IOException absent) {
      return Optional.empty();
    }
  }
}
