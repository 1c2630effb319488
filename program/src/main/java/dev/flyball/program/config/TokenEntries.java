package dev.flyball.program.config;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.ops.console.access.AccessRole;
import dev.flyball.ops.console.access.AccessToken;
import dev.flyball.ops.console.access.Viewer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reads the tokens of the console; of a plain token only its hash is kept. */
final class TokenEntries {
  private TokenEntries() {}

  /**
   * All tokens.
   *
   * @throws ConfigurationError with every problem found
   */
  static List<AccessToken> of(Configuration configuration, Map<String, String> environment) {
    return EntryList.TOKENS.read(
        configuration,
        ConfiguredToken.class,
        ConfiguredToken::name,
        (_, written) -> written.token(environment));
  }

  static String variable(String name, Map<String, String> environment) {
    String value = environment.getOrDefault(name, "").strip();
    if (value.isEmpty()) {
      throw new IllegalArgumentException(
          "the environment variable " + name + " is empty; set it to the secret");
    }
    return value;
  }

  static String firstLine(Path file) {
    try {
      return Files.readString(file).lines().findFirst().orElse("").strip();
    } catch (IOException e) {
      throw new IllegalArgumentException(
          file + " cannot be read; put the secret into its first line");
    }
  }

  /** One entry of the list of tokens, as it is written. */
  record ConfiguredToken(
      @ConfigKey(
              name = "name",
              matches = "[A-Za-z0-9][A-Za-z0-9._@-]{0,63}",
              allowed = "1 to 64 letters, digits, . _ @ or -",
              required = true,
              meaning = "Who has the token; the records of operators' changes name it")
          String name,
      @ConfigKey(
              name = "sha256",
              matches = "[0-9a-f]{64}",
              allowed = "64 hexadecimal digits in lower case",
              meaning = "The SHA-256 of the token; this, `token-env` or `token-file`")
          @Nullable String sha256,
      @ConfigKey(
              name = "token-env",
              matches = "[A-Za-z_][A-Za-z0-9_]*",
              allowed = "the name of an environment variable",
              meaning = "The environment variable with the token itself, read at the start")
          @Nullable String variable,
      @ConfigKey(
              name = "token-file",
              meaning = "A file whose first line is the token itself, read at the start")
          @Nullable Path file,
      @ConfigKey(
              name = "roles",
              meaning =
                  "What its holder may do, as `tenant:role` with the role viewer, operator or"
                      + " admin; the tenant `*` means all that are not named. By default"
                      + " `*:viewer`")
          List<String> roles) {
    private static final Pattern ROLE = Pattern.compile("([a-z0-9-]+|\\*):([a-z]+)");

    /**
     * The token.
     *
     * @throws IllegalArgumentException if it is in no place or in several, or cannot be read
     */
    AccessToken token(Map<String, String> environment) {
      if (Stream.of(sha256, variable, file).filter(Objects::nonNull).count() != 1) {
        throw new Rejected(
            "name", "name " + name + " needs exactly one of sha256, token-env and token-file");
      }
      if (sha256 != null) {
        return new AccessToken(name, sha256, byTenant());
      }
      String plain =
          variable != null
              ? TokenEntries.variable(variable, environment)
              : firstLine(Objects.requireNonNull(file));
      return AccessToken.ofPlain(name, plain, byTenant());
    }

    /**
     * The role in each tenant.
     *
     * @throws IllegalArgumentException if one is not of that form
     */
    Map<String, AccessRole> byTenant() {
      var byTenant = new HashMap<String, AccessRole>();
      for (String each : roles) {
        Matcher matcher = ROLE.matcher(each);
        if (!matcher.matches() || byTenant.put(matcher.group(1), role(matcher.group(2))) != null) {
          throw new Rejected(
              "roles", "roles '" + each + "' is not tenant:role, with a different tenant in each");
        }
      }
      return byTenant.isEmpty() ? Map.of(Viewer.ALL_TENANTS, AccessRole.VIEWER) : byTenant;
    }

    private static AccessRole role(String name) {
      for (AccessRole role : AccessRole.values()) {
        if (role.name().toLowerCase(Locale.ROOT).equals(name)) {
          return role;
        }
      }
      throw new Rejected("roles", "roles: allowed are viewer, operator and admin");
    }
  }
}
