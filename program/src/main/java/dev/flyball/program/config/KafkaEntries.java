package dev.flyball.program.config;

import dev.flyball.contract.text.OneLine;
import dev.flyball.kafka.FixedProperties;
import dev.flyball.program.config.Configuration.Setting;
import dev.flyball.program.config.ConfigurationError.Problem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Reads the entries below {@code kafka.}. A name that ends with {@code -file} is that of a file
 * with the value, for secrets that no configuration file should hold.
 */
final class KafkaEntries {
  /** Whose clients may have separate properties; operator: the commands. */
  static final List<String> ROLES = List.of("producer", "triage", "runner", "console", "operator");

  static final String PREFIX = "kafka.";

  private static final String FILE = "-file";
  private static final String FILE_VARIABLE = "_FILE";

  /** What the names of secrets contain, those of plug-ins too. */
  private static final Pattern SECRETS =
      Pattern.compile(
          "password|passphrase|secret|jaas|private\\.key|credential|ssl\\.keystore\\.(key|certificate)"
              + "|ssl\\.truststore\\.certificates");

  /** Kafka's own property for a file with a secret. */
  private static final String OWN_FILE = "sasl.oauthbearer.assertion.private.key.file";

  private KafkaEntries() {}

  /** The key that a variable means, by what follows {@code FLYBALL_KAFKA_}. */
  static String ofVariable(String name) {
    String property = name.toLowerCase(Locale.ROOT).replace('_', '.');
    int end = property.length() - FILE_VARIABLE.length();
    // A dot of a property is an underscore here.
    boolean file =
        name.endsWith(FILE_VARIABLE)
            && secret(property.substring(0, end))
            && !property.endsWith(OWN_FILE);
    return PREFIX + (file ? property.substring(0, end) + FILE : property);
  }

  /** Adds an entry, or what is wrong with it to the problems. */
  static void put(Map<String, Setting> all, String key, Setting setting, List<Problem> problems) {
    String property = key.endsWith(FILE) ? key.substring(0, key.length() - FILE.length()) : key;
    try {
      Setting value = key.endsWith(FILE) ? inFile(property, setting) : setting;
      FixedProperties.problem(withoutRole(property.substring(PREFIX.length())), value.raw())
          .ifPresentOrElse(
              why -> problems.add(new Problem(setting.origin(), property, property + " " + why)),
              () -> all.put(property, value));
    } catch (IllegalArgumentException e) {
      problems.add(new Problem(setting.origin(), key, key + e.getMessage()));
    }
  }

  /** The value of a secret in the file that is named. */
  private static Setting inFile(String property, Setting file) {
    if (!secret(property)) {
      throw new IllegalArgumentException(
          " is not for secrets; write " + property + " with the value itself");
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

  /** A property as clients know it. */
  static String withoutRole(String name) {
    return ROLES.stream()
        .filter(role -> name.startsWith(role + "."))
        .findFirst()
        .map(role -> name.substring(role.length() + 1))
        .orElse(name);
  }

  /** Whether a property's value must not be printed; a prefix such as a role's does not count. */
  static boolean secret(String property) {
    return SECRETS.matcher(property).find();
  }
}
