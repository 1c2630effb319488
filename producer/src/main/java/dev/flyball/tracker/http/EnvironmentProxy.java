package dev.flyball.tracker.http;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name, as command line tools read them:
 * loopback is always asked directly. Java's own properties win where they are set. A proxy that
 * requires a password is not supported.
 */
public final class EnvironmentProxy extends ProxySelector {
  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(10);

  private final @Nullable URI forHttps;
  private final @Nullable URI forHttp;
  private final List<String> direct;

  private EnvironmentProxy(@Nullable URI forHttps, @Nullable URI forHttp, List<String> direct) {
    this.forHttps = forHttps;
    this.forHttp = forHttp;
    this.direct = direct;
  }

  /** Uses the proxy of this environment, follows no redirect, and connects within 10 s. */
  public static HttpClient client(Map<String, String> environment) {
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(CONNECT_LIMIT);
    of(environment).ifPresent(builder::proxy);
    return builder.build();
  }

  /** Empty if the environment names none, or Java's own properties name one. */
  static Optional<ProxySelector> of(Map<String, String> environment) {
    boolean java =
        System.getProperty("https.proxyHost") != null
            || System.getProperty("http.proxyHost") != null
            || System.getProperty("socksProxyHost") != null;
    URI https = proxy(environment, "HTTPS_PROXY");
    URI http = proxy(environment, "HTTP_PROXY");
    if (java || (https == null && http == null)) {
      return Optional.empty();
    }
    List<String> direct =
        Arrays.stream(variable(environment, "NO_PROXY").orElse("").split(","))
            .map(name -> name.strip().toLowerCase(Locale.ROOT).replaceFirst("^\\*?\\.", ""))
            .filter(name -> !name.isEmpty())
            .toList();
    return Optional.of(new EnvironmentProxy(https, http, direct));
  }

  @Override
  public List<Proxy> select(URI address) {
    URI proxy = "https".equalsIgnoreCase(address.getScheme()) ? forHttps : forHttp;
    if (proxy == null || isDirect(address.getHost().toLowerCase(Locale.ROOT))) {
      return List.of(Proxy.NO_PROXY);
    }
    int port = proxy.getPort() >= 0 ? proxy.getPort() : 80;
    return List.of(
        new Proxy(Proxy.Type.HTTP, InetSocketAddress.createUnresolved(proxy.getHost(), port)));
  }

  @Override
  public void connectFailed(URI address, SocketAddress proxy, IOException problem) {
    // The request fails, and its failure is reported.
  }

  private boolean isDirect(String host) {
    return host.equals("localhost")
        || host.startsWith("127.")
        || host.equals("[::1]")
        || direct.stream()
            .anyMatch(name -> name.equals("*") || host.equals(name) || host.endsWith("." + name));
  }

  private static @Nullable URI proxy(Map<String, String> environment, String name) {
    return variable(environment, name)
        .map(value -> value.contains("://") ? value : "http://" + value)
        .map(TrackerHttp::parsed)
        .filter(uri -> uri.getHost() != null)
        .orElse(null);
  }

  /** Both spellings are in use; the lower-case one wins, as with curl. */
  private static Optional<String> variable(Map<String, String> environment, String name) {
    return Optional.ofNullable(environment.get(name.toLowerCase(Locale.ROOT)))
        .or(() -> Optional.ofNullable(environment.get(name)))
        .map(String::strip)
        .filter(value -> !value.isEmpty());
  }
}
