package dev.flyball.ops.telemetry;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/**
 * The address on which a server listens.
 *
 * @param host a name or an address; never empty, so that no server listens everywhere by accident
 * @param port 0 for any free one
 */
public record ListenAddress(String host, int port) {
  /** Any free port, reachable from this machine only. */
  public static final ListenAddress LOOPBACK = new ListenAddress("127.0.0.1", 0);

  public ListenAddress {
    if (host.isBlank() || port < 0 || port > 65_535) {
      throw new IllegalArgumentException(
          "'"
              + host
              + ":"
              + port
              + "' is not host:port, for example 127.0.0.1:8321 (port 0 is any free one)");
    }
  }

  /**
   * Reads {@code host:port} or {@code [v6]:port}.
   *
   * @throws IllegalArgumentException if it is not of that form
   */
  public static ListenAddress parse(String text) {
    int colon = text.lastIndexOf(':');
    String port = text.substring(colon + 1);
    if (colon < 1 || !port.matches("[0-9]{1,5}")) {
      throw new IllegalArgumentException(
          "'" + text + "' is not host:port, for example 127.0.0.1:8321 (port 0 is any free one)");
    }
    return new ListenAddress(text.substring(0, colon), Integer.parseInt(port));
  }

  /** The name of this machine, by which others of its network call it. */
  public static String machine() {
    try {
      return InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      return "localhost";
    }
  }

  /** As a socket address, resolved. */
  public InetSocketAddress socket() {
    String bare =
        host.startsWith("[") && host.endsWith("]") ? host.substring(1, host.length() - 1) : host;
    return new InetSocketAddress(bare, port);
  }

  /** Whether only this machine reaches it. */
  public boolean loopback() {
    InetSocketAddress socket = socket();
    return !socket.isUnresolved() && socket.getAddress().isLoopbackAddress();
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
