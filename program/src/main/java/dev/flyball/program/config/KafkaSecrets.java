package dev.flyball.program.config;

import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.SslConfigs;

/**
 * Which Kafka properties hold secrets: those that Kafka itself defines as passwords, for example a
 * private key, and properties of plug-ins whose name says so.
 */
final class KafkaSecrets {
  private static final Set<String> PASSWORDS =
      Stream.of(
              ProducerConfig.configDef(),
              ConsumerConfig.configDef(),
              AdminClientConfig.configDef(),
              ssl())
          .flatMap(definition -> definition.configKeys().values().stream())
          .filter(key -> key.type == ConfigDef.Type.PASSWORD)
          .map(key -> key.name)
          .collect(Collectors.toUnmodifiableSet());

  private static final Pattern NAMES =
      Pattern.compile("password|passphrase|secret|jaas|private\\.key|credential");

  private KafkaSecrets() {}

  /** Whether a property's value must not be printed; a prefix such as a role's does not count. */
  static boolean holds(String property) {
    return NAMES.matcher(property).find() || isPassword(property);
  }

  /** Whether Kafka itself defines a property as a password; a prefix does not count. */
  static boolean isPassword(String property) {
    return PASSWORDS.stream()
        .anyMatch(name -> property.equals(name) || property.endsWith("." + name));
  }

  private static ConfigDef ssl() {
    var definition = new ConfigDef();
    SslConfigs.addClientSslSupport(definition);
    return definition;
  }
}
