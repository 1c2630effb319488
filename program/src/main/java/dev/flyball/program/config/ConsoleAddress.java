package dev.flyball.program.config;

import dev.flyball.ops.console.access.AccessToken;
import dev.flyball.ops.telemetry.AdminAddress;
import dev.flyball.ops.telemetry.ListenAddress;
import dev.flyball.ops.telemetry.OriginRules;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Where the console listens and who may ask it.
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
   * @throws ConfigurationError with one line if the address can be reached from other machines and
   *     there is no token, or a file cannot be read
   */
  public static ConsoleAddress of(Configuration configuration, Map<String, String> environment) {
    List<AccessToken> tokens = TokenEntries.of(configuration, environment);
    ListenAddress listen = configuration.get(Keys.CONSOLE_LISTEN);
    List<String> hosts = configuration.find(Keys.CONSOLE_HOSTS).orElse(List.of());
    if (tokens.isEmpty() && !listen.loopback()) {
      throw invalid(
          configuration,
          Keys.CONSOLE_LISTEN,
          "console.listen "
              + listen
              + " can be reached from other machines and console.tokens is empty; add a token"
              + " (docs/console.md), or listen on 127.0.0.1");
    }
    if (tokens.isEmpty() && !hosts.isEmpty()) {
      throw invalid(
          configuration,
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
      return context(file, password(configuration, environment).toCharArray());
    } catch (IllegalArgumentException | IOException | GeneralSecurityException e) {
      throw invalid(
          configuration,
          Keys.CONSOLE_KEY_STORE,
          "console.tls.key-store "
              + file
              + " cannot be used ("
              + e.getMessage()
              + "); name a PKCS #12 or JKS file with a private key, and its password");
    }
  }

  private static ConfigurationError invalid(Configuration configuration, Key<?> key, String text) {
    return new ConfigurationError(
        List.of(new ConfigurationError.Problem(configuration.origin(key), key.name(), text)));
  }

  private static String password(Configuration configuration, Map<String, String> environment) {
    if (configuration.find(Keys.CONSOLE_TLS_FILE).isPresent()) {
      return TokenEntries.firstLine(configuration.path(Keys.CONSOLE_TLS_FILE));
    }
    return configuration
        .find(Keys.CONSOLE_TLS_ENV)
        .map(name -> TokenEntries.variable(name, environment))
        .orElse("");
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
}
