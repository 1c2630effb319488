package dev.flyball.program.config;

import dev.flyball.contract.text.OneLine;
import dev.flyball.kafka.FixedProperties;
import dev.flyball.program.config.ConfigurationError.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
 * Reads the entries below {@code kafka.}. A name that ends with {@code -file} is that of a file
 * with the value, for secrets that no configuration file should hold.
 */
final class KafkaEntries {
  /** Whose clients may have separate properties; operator: the commands. */
  static final List<String> ROLES = List.of("producer", "triage", "runner", "console", "operator");

  private static final String FILE = "-file";
  private static final String FILE_VARIABLE = "_FILE";

  /** Properties that Kafka itself defines as passwords, for example a private key. */
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

  /** What the names of secrets of plug-ins contain. */
  private static final Pattern NAMES =
      Pattern.compile("password|passphrase|secret|jaas|private\\.key|credential");

  private KafkaEntries() {}

  /** The property that a variable means, by what follows {@code FLYBALL_KAFKA_}. */
  static String ofVariable(String name) {
    String property = name.toLowerCase(Locale.ROOT).replace('_', '.');
    if (!name.endsWith(FILE_VARIABLE)) {
      return property;
    }
    // A dot of a property is an underscore here, and some of Kafka's own properties end with .file.
    String secret = property.substring(0, property.length() - FILE_VARIABLE.length());
    return isPassword(secret) ? secret + FILE : property;
  }

  /**
   * Adds an entry, or what is wrong with it to the problems.
   *
   * @param name without {@code kafka.}
   */
  static void put(Map<String, Setting> all, String name, Setting setting, List<Problem> problems) {
    String key = "kafka." + name;
    try {
      boolean file = name.endsWith(FILE);
      String property = file ? name.substring(0, name.length() - FILE.length()) : name;
      Setting value = file ? inFile(property, setting) : setting;
      FixedProperties.problem(withoutRole(property), value.raw())
          .ifPresentOrElse(
              problem ->
                  problems.add(
                      new Problem(
                          setting.origin(),
                          "kafka." + property,
                          "kafka." + property + " " + problem)),
              () -> all.put(property, value));
    } catch (IllegalArgumentException e) {
      problems.add(new Problem(setting.origin(), key, key + e.getMessage()));
    }
  }

  /** The value of a secret in the file that is named. */
  private static Setting inFile(String property, Setting file) {
    if (!secret(property)) {
      throw new IllegalArgumentException(
          " is not for secrets; write kafka." + property + " with the value itself");
    }
    Path path = file.base().resolve(file.raw());
    try {
      String value = Files.readString(path).strip();
      if (value.isEmpty()) {
        throw new IllegalArgumentException(": " + path + " is empty; write the value into it");
      }
      return new Setting(value, file.origin(), file.base());
    } catch (IOException e) {
      throw new IllegalArgumentException(
          ": cannot read " + path + " (" + OneLine.of(e) + "); name a readable file", e);
    }
  }

  private static String withoutRole(String name) {
    return ROLES.stream()
        .filter(role -> name.startsWith(role + "."))
        .findFirst()
        .map(role -> name.substring(role.length() + 1))
        .orElse(name);
  }

  /** Whether a property's value must not be printed; a prefix such as a role's does not count. */
  static boolean secret(String property) {
    return NAMES.matcher(property).find() || isPassword(property);
  }

  private static boolean isPassword(String property) {
    return PASSWORDS.stream()
        .anyMatch(name -> property.equals(name) || property.endsWith("." + name));
  }

  private static ConfigDef ssl() {
    var definition = new ConfigDef();
    SslConfigs.addClientSslSupport(definition);
    return definition;
  }
}
