package dev.flyball.ops.telemetry;

import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Where and how a server listens.
 *
 * @param key the configuration key of the address, named in the error if the port is taken
 * @param rules which requests it takes
 * @param tls the certificate and its key; null for plain HTTP
 */
public record AdminAddress(
    String key, ListenAddress listen, OriginRules rules, @Nullable SSLContext tls) {
  /** Plain HTTP: with a loopback address's rules where it is one, else for probes of any name. */
  public static AdminAddress plain(String key, ListenAddress listen) {
    return new AdminAddress(
        key,
        listen,
        listen.loopback() ? OriginRules.loopback(listen.host()) : OriginRules.anyHost(),
        null);
  }
}
