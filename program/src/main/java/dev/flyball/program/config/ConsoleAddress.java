package dev.flyball.program.config;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.ops.console.access.AccessRole;
import dev.flyball.ops.console.access.AccessToken;
import dev.flyball.ops.console.access.Viewer;
import dev.flyball.ops.telemetry.AdminAddress;
import dev.flyball.ops.telemetry.ListenAddress;
import dev.flyball.ops.telemetry.OriginRules;
import dev.flyball.tracker.Credential;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Where the console listens and who may ask it; of a plain token only its hash is kept.
 *
 * @param tokens none: every client is an administrator, which is allowed on loopback only
 * @param secure whether browsers reach it by TLS, its own or a proxy's
 */
public record ConsoleAddress(AdminAddress address, List<AccessToken> tokens, boolean secure) {
  public ConsoleAddress {
    tokens = List.copyOf(tokens);
  }

  /**
   * The console's address and tokens.
   *
   * @param environment where tokens and passwords may be
   * @throws ConfigurationError if a token is wrong, with every problem of them; with one line if
   *     the address can be reached from other machines and there is no token, or a file cannot be
   *     read
   */
  public static ConsoleAddress of(Configuration configuration, Map<String, String> environment) {
    List<AccessToken> tokens =
        EntryList.TOKENS.read(
            configuration,
            ConfiguredToken.class,
            ConfiguredToken::name,
            (_, written) -> written.token(environment));
    ListenAddress listen = configuration.get(Keys.CONSOLE_LISTEN);
    List<String> hosts = configuration.find(Keys.CONSOLE_HOSTS).orElse(List.of());
    if (tokens.isEmpty() && !listen.loopback()) {
      throw configuration.error(
          Keys.CONSOLE_LISTEN,
          "console.listen "
              + listen
              + " can be reached from other machines and console.tokens is empty; add a token"
              + " (docs/console.md), or listen on 127.0.0.1");
    }
    if (tokens.isEmpty() && !hosts.isEmpty()) {
      throw configuration.error(
          Keys.CONSOLE_HOSTS,
          "console.hosts needs console.tokens: a proxy lets other machines in; add a token"
              + " (docs/console.md)");
    }
    Optional<URI> url = configuration.find(Keys.CONSOLE_URL).map(URI::create);
    OriginRules rules =
        tokens.isEmpty()
            ? OriginRules.loopback(listen.host())
            : OriginRules.reachable(
                Stream.concat(hosts.stream(), Stream.of(listen.host(), ListenAddress.machine()))
                    .toList(),
                url.orElse(null));
    String key = Keys.CONSOLE_LISTEN.name();
    SSLContext tls = tls(configuration, environment);
    boolean proxied = url.filter(each -> each.getScheme().equals("https")).isPresent();
    return new ConsoleAddress(
        new AdminAddress(key, listen, rules, tls), tokens, tls != null || proxied);
  }

  private static @Nullable SSLContext tls(
      Configuration configuration, Map<String, String> environment) {
    if (configuration.find(Keys.CONSOLE_KEY_STORE).isEmpty()) {
      return null;
    }
    Path file = configuration.path(Keys.CONSOLE_KEY_STORE);
    try {
      Credential password = configuration.credential(Keys.CONSOLE_TLS_PASSWORD);
      return context(file, secret(password, environment).toCharArray());
    } catch (IllegalArgumentException | IOException | GeneralSecurityException e) {
      throw configuration.error(
          Keys.CONSOLE_KEY_STORE,
          "console.tls.key-store "
              + file
              + " cannot be used ("
              + e.getMessage()
              + "); name a PKCS #12 or JKS file with a private key, and its password");
    }
  }

  private static SSLContext context(Path file, char[] password)
      throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, password);
    }
    var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, password);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), null, null);
    return context;
  }

  /** The secret that is stored there; empty if it is nowhere. */
  private static String secret(Credential place, Map<String, String> environment) {
    return switch (place) {
      case Credential.None _, Credential.Command _ -> "";
      case Credential.Environment(String variable) -> {
        String value = environment.getOrDefault(variable, "").strip();
        if (value.isEmpty()) {
          throw new IllegalArgumentException(
              "the environment variable " + variable + " is empty; set it to the secret");
        }
        yield value;
      }
      case Credential.InFile(Path file) -> {
        try {
          yield Files.readString(file).lines().findFirst().orElse("").strip();
        } catch (IOException e) {
          throw new IllegalArgumentException(
              file + " cannot be read; put the secret into its first line");
        }
      }
    };
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
      Credential place =
          variable == null
              ? new Credential.InFile(Objects.requireNonNull(file))
              : new Credential.Environment(variable);
      return AccessToken.ofPlain(name, secret(place, environment), byTenant());
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
