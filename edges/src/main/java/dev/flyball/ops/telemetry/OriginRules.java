package dev.flyball.ops.telemetry;

import com.sun.net.httpserver.HttpExchange;
import java.net.InetAddress;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which requests a server takes, from any client. The rule on Host keeps a web page whose name was
 * pointed at this machine (DNS rebinding) from reading answers; the rule on Origin keeps a foreign
 * page from posting with a user's browser.
 *
 * @param hosts names that a request may call this server by, in lower case; empty for any name
 * @param local whether the address of the connection itself is also such a name
 * @param origin scheme, name and port of pages that a proxy serves from here; null without one
 */
public record OriginRules(Set<String> hosts, boolean local, @Nullable String origin) {
  /** A header that a form of a foreign page cannot have. */
  static final String MARK = "X-Flyball-Request";

  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

  public OriginRules {
    hosts = hosts.stream().map(host -> host.toLowerCase(Locale.ROOT)).collect(Collectors.toSet());
  }

  /**
   * For a server that only this machine reaches.
   *
   * @param host where it listens, for example 127.0.0.2
   */
  public static OriginRules loopback(String host) {
    return new OriginRules(
        Stream.concat(LOOPBACK.stream(), Stream.of(host)).collect(Collectors.toSet()), false, null);
  }

  /** For a server that serves figures to probes, which use names that are not known here. */
  public static OriginRules anyHost() {
    return new OriginRules(Set.of(), false, null);
  }

  /**
   * For a server that other machines reach: the names of this machine's loopback, the address that
   * was connected to, and these names.
   *
   * @param url where a proxy serves this server's pages: most proxies replace the Host of requests
   *     unless they are asked not to; null without a proxy
   */
  public static OriginRules reachable(List<String> names, @Nullable URI url) {
    return new OriginRules(
        Stream.concat(LOOPBACK.stream(), names.stream()).collect(Collectors.toSet()),
        true,
        url == null ? null : url.getScheme() + "://" + url.getAuthority());
  }

  /**
   * Rejects a request that these rules do not take.
   *
   * @throws HttpProblem 400 or 403
   */
  void check(HttpExchange exchange) {
    String host = exchange.getRequestHeaders().getFirst("Host");
    List<String> all = exchange.getRequestHeaders().getOrDefault("Host", List.of());
    if (host == null || all.size() != 1) {
      throw new HttpProblem(400, "a request needs one Host header");
    }
    String connected = exchange.getLocalAddress().getAddress().getHostAddress();
    if (!takesHost(host, connected)) {
      throw new HttpProblem(
          403, "this server is not called " + shown(host) + "; add the name to console.hosts");
    }
    if (!Set.of("GET", "HEAD").contains(exchange.getRequestMethod())) {
      requireOwnPage(exchange, host);
    }
  }

  /** Whether a Host header names this server. */
  boolean takesHost(String host, String connected) {
    String name = name(host);
    return hosts.isEmpty() || hosts.contains(name) || (local && same(name, connected));
  }

  /** Whether both are one address: browsers shorten those of IPv6, and leave out its interface. */
  private static boolean same(String name, String connected) {
    String address = connected.replaceAll("%.*", "");
    if (!name.startsWith("[") || !name.endsWith("]")) {
      return name.equals(address);
    }
    try {
      return InetAddress.ofLiteral(name.substring(1, name.length() - 1))
          .equals(InetAddress.ofLiteral(address));
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private void requireOwnPage(HttpExchange exchange, String host) {
    var headers = exchange.getRequestHeaders();
    if (!ownPage(
        host,
        headers.getFirst("Origin"),
        headers.getFirst("Sec-Fetch-Site"),
        headers.getFirst("Content-Type"),
        headers.containsKey(MARK))) {
      throw new HttpProblem(
          403,
          "a change must come from a page of this server: behind a proxy set console.url; a program"
              + " sends application/json or the header "
              + MARK);
    }
  }

  /**
   * Whether a change comes from a page of this server, or from a program: a program has neither
   * Origin nor Sec-Fetch-Site, and shows by its content type or the header that it is no form of an
   * old browser.
   */
  boolean ownPage(
      String host,
      @Nullable String from,
      @Nullable String site,
      @Nullable String contentType,
      boolean marked) {
    boolean originOk =
        from == null
            || from.equalsIgnoreCase("http://" + host)
            || from.equalsIgnoreCase("https://" + host)
            || from.equalsIgnoreCase(origin);
    boolean siteOk = site == null || Set.of("same-origin", "none").contains(site);
    boolean program =
        marked
            || (contentType != null
                && contentType.toLowerCase(Locale.ROOT).startsWith("application/json"));
    return originOk && siteOk && (from != null || site != null || program);
  }

  /** A Host header without its port, in lower case. */
  private static String name(String host) {
    int end = host.startsWith("[") ? host.indexOf(']') + 1 : host.lastIndexOf(':');
    return (end > 0 ? host.substring(0, end) : host).toLowerCase(Locale.ROOT);
  }

  private static String shown(String host) {
    return host.length() <= 100 && host.matches("[A-Za-z0-9.:_\\[\\]-]+") ? host : "that";
  }
}
