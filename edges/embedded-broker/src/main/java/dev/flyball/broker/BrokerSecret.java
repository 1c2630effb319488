package dev.flyball.broker;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.LoggerFactory;

/**
 * The secret that lets a client write to an embedded broker. The broker keeps it in its folder as a
 * file of Kafka client properties that only the broker's user can read. Kafka's own tools accept
 * this file as their {@code --command-config}. The secret is created once; the address is that of
 * the newest start.
 */
public final class BrokerSecret {
  /** The secret's user. */
  static final String USER = "flyball";

  /**
   * SCRAM, so that a client never sends the secret: while the broker is down, another user's
   * process may listen on its port.
   */
  static final String MECHANISM = "SCRAM-SHA-256";

  private static final String FILE = "clients.properties";
  private static final Set<PosixFilePermission> OWNER_READS =
      PosixFilePermissions.fromString("rw-------");
  private static final Set<PosixFilePermission> OWNER_ENTERS =
      PosixFilePermissions.fromString("rwx------");
  private static final Pattern PASSWORD = Pattern.compile("password=\"([0-9a-f]{64})\"");

  private final Path folder;
  private final String jaas;

  private BrokerSecret(Path folder, String password) {
    this.folder = folder;
    this.jaas =
        "org.apache.kafka.common.security.scram.ScramLoginModule required username=\""
            + USER
            + "\" password=\""
            + password
            + "\";";
  }

  /**
   * The properties of a client that may write to the broker of a folder.
   *
   * @return the properties with {@code bootstrap.servers}; empty if the folder has no secret, or
   *     this user may not read it
   */
  public static Optional<Map<String, String>> clientProperties(Path folder) {
    var read = new Properties();
    try (Reader file = Files.newBufferedReader(folder.resolve(FILE))) {
      read.load(file);
    } catch (IOException | IllegalArgumentException absentOrNotOurs) {
      return Optional.empty();
    }
    var all = new TreeMap<String, String>();
    read.stringPropertyNames().forEach(name -> all.put(name, read.getProperty(name)));
    return Optional.of(all);
  }

  /** The secret of a folder that this broker holds; created if there is none. */
  static BrokerSecret of(Path folder) {
    makePrivate(folder);
    String known = clientProperties(folder).orElse(Map.of()).getOrDefault("sasl.jaas.config", "");
    Matcher password = PASSWORD.matcher(known);
    return new BrokerSecret(folder, password.find() ? password.group(1) : random());
  }

  /** The login of the broker's own listeners. */
  String jaas() {
    return jaas;
  }

  /** The properties of a client. */
  Map<String, String> properties(String servers) {
    return Map.of(
        "bootstrap.servers",
        servers,
        "security.protocol",
        "SASL_PLAINTEXT",
        "sasl.mechanism",
        MECHANISM,
        "sasl.jaas.config",
        jaas);
  }

  /**
   * Writes the file.
   *
   * @throws BrokerStartFailed if it cannot be written
   */
  void write(String servers) {
    Path next = folder.resolve(FILE + ".next");
    var lines = new StringBuilder("# Secret: grants write access to Flyball's Kafka.\n");
    new TreeMap<>(properties(servers))
        .forEach((name, value) -> lines.append(name).append('=').append(value).append('\n'));
    try {
      Files.deleteIfExists(next);
      // Never readable by other users, not even before its permissions are set.
      try (var channel =
          Files.newByteChannel(
              next,
              Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
              PosixFilePermissions.asFileAttribute(OWNER_READS))) {
        channel.write(StandardCharsets.UTF_8.encode(lines.toString()));
      }
      Files.move(next, folder.resolve(FILE), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw BrokerFolder.unwritable(folder, e);
    }
  }

  /** Closes the whole folder to other users, because the logs hold every tenant's items. */
  private static void makePrivate(Path folder) {
    try {
      Files.setPosixFilePermissions(folder, OWNER_ENTERS);
      if (Files.getPosixFilePermissions(folder).equals(OWNER_ENTERS)) {
        return;
      }
    } catch (IOException | UnsupportedOperationException e) {
      LoggerFactory.getLogger(BrokerSecret.class).debug("permissions of {}", folder, e);
    }
    LoggerFactory.getLogger(BrokerSecret.class)
        .warn(
            "broker folder {} cannot be closed to other users: they can write to Kafka; use a file"
                + " system with permissions (--data)",
            folder);
  }

  private static String random() {
    byte[] bytes = new byte[32];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
