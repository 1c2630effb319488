package dev.flyball.broker;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;

/**
 * The two ports of a node, checked or picked before Kafka starts, since Kafka's own answer comes
 * late and is long.
 */
record Ports(int broker, int controller) {

  /**
   * Picks what is free.
   *
   * @param port 0 for any free one
   * @throws BrokerStartFailed if the port is taken or the host is none of this machine's
   */
  static Ports claim(String host, int port) {
    var address = new InetSocketAddress(resolve(host), port);
    // Both are open at once, so that they cannot be the same port.
    try (var broker = new ServerSocket();
        var controller = new ServerSocket()) {
      bind(broker, address, host, port);
      controller.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      return new Ports(broker.getLocalPort(), controller.getLocalPort());
    } catch (IOException e) {
      throw new BrokerStartFailed(
          "no free port on " + BrokerConfig.LOOPBACK + ": " + e.getMessage(), e);
    }
  }

  private static InetAddress resolve(String host) {
    try {
      return InetAddress.getAllByName(host)[0];
    } catch (UnknownHostException e) {
      throw new BrokerStartFailed(
          "broker host " + host + " is unknown; set broker.listen to an address of this machine",
          e);
    }
  }

  private static void bind(ServerSocket socket, InetSocketAddress address, String host, int port) {
    try {
      socket.setReuseAddress(true);
      socket.bind(address);
    } catch (IOException e) {
      throw new BrokerStartFailed(
          "broker address "
              + host
              + ":"
              + port
              + " cannot be used ("
              + e.getMessage()
              + "); stop what listens there, or set broker.listen to another port (0 is any free"
              + " one)",
          e);
    }
  }
}
