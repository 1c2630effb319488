package dev.flyball.program.config;

import dev.flyball.contract.config.ConfigKey;
import dev.flyball.ops.console.access.AccessRole;
import dev.flyball.ops.console.access.AccessToken;
import dev.flyball.ops.console.access.Viewer;
import dev.flyball.ops.telemetry.AdminAddress;
import dev.flyball.ops.telemetry.ListenAddress;
import dev.flyball.ops.telemetry.OriginRules;
import dev.flyball.tracker.Credential;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.http.Tokens;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
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
        EntryList.TOKENS.read(configuration, written -> written.token(environment));
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
    Path file = configuration.find(Keys.CONSOLE_KEY_STORE).orElse(null);
    if (file == null) {
      return null;
    }
    try {
      Credential stored = configuration.credential(Keys.CONSOLE_TLS_PASSWORD);
      char[] password = Tokens.secret(stored, environment, "password").orElse("").toCharArray();
      var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(KeyStore.getInstance(file.toFile(), password), password);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), null, null);
      return context;
    } catch (SourceFailure | IllegalArgumentException | IOException | GeneralSecurityException e) {
      String problem = "console.tls.key-store " + file + " cannot be used (" + e.getMessage() + ")";
      String fix = "; name a PKCS #12 or JKS file with a private key, and its password";
      throw configuration.error(Keys.CONSOLE_KEY_STORE, problem + fix);
    }
  }

  /** One entry of the list of tokens, as it is written. */
  record ConfiguredToken(
      @ConfigKey(
              name = "name",
              matches = "[A-Za-z0-9][A-Za-z0-9._@-]{0,63}",
              allowed = "1 to 64 letters, digits, . _ @ or -",
              required = true)
          String name,
      @ConfigKey(
              name = "sha256",
              matches = "[0-9a-f]{64}",
              allowed = "64 hexadecimal digits in lower case")
          @Nullable String sha256,
      @ConfigKey(name = "token") Credential plain,
      @ConfigKey(
              name = "roles",
              matches = "([a-z0-9-]+|\\*):(viewer|operator|admin)",
              allowed =
                  "tenant:role with the role viewer, operator or admin, and a different tenant in"
                      + " each")
          List<String> roles) {

    /**
     * The token.
     *
     * @throws ConfigurationError if it is in no place or in several, or cannot be read
     */
    AccessToken token(Map<String, String> environment) {
      if ((sha256 == null) == (plain instanceof Credential.None)) {
        throw new ConfigurationError(
            "name", "name " + name + " needs exactly one of sha256, token-env and token-file");
      }
      Map<String, AccessRole> byTenant = byTenant();
      try {
        return sha256 == null
            ? AccessToken.ofPlain(name, Tokens.read(plain, environment).orElseThrow(), byTenant)
            : new AccessToken(name, sha256, byTenant);
      } catch (SourceFailure e) {
        throw new ConfigurationError("name", e.failure().reason());
      }
    }

    /**
     * The role in each tenant.
     *
     * @throws ConfigurationError if a tenant has two
     */
    private Map<String, AccessRole> byTenant() {
      var byTenant = new HashMap<String, AccessRole>();
      for (String each : roles) {
        String[] parts = each.split(":");
        AccessRole role = AccessRole.valueOf(parts[1].toUpperCase(Locale.ROOT));
        if (byTenant.put(parts[0], role) != null) {
          throw new ConfigurationError("roles", "roles has tenant " + parts[0] + " twice");
        }
      }
      return byTenant.isEmpty() ? Map.of(Viewer.ALL_TENANTS, AccessRole.VIEWER) : byTenant;
    }
  }
}
