package dev.flyball.broker;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The ports of a node, checked or picked before Kafka starts, since Kafka's own error comes late
 * and is long.
 *
 * @param broker the port where every client may read
 * @param owner the port where clients with the secret may write, too; on the loopback address
 * @param controller the port of the node's own controller
 */
record Ports(int broker, int owner, int controller) {
  /** Not 1, because a second broker on this machine often gets the next port. */
  private static final int OWNER_DISTANCE = 1000;

  /** Below it, services of other programs often have their fixed ports. */
  static final int FIRST = 20_000;

  /**
   * Where the kernel begins to pick ports for outgoing connections. One of those is not safe: while
   * Kafka starts, seconds after the claim, the kernel may give it to any client of the machine, and
   * Kafka cannot listen.
   */
  static final int KERNELS = kernelsFirst();

  private static final int TRIES = 100;

  /**
   * Picks free ports.
   *
   * @param port 0 for any free one
   * @throws BrokerStartFailed if the port is taken or the host is none of this machine's
   */
  static Ports claim(String host, int port) {
    // All are open at the same time, so that no two can be the same port.
    try (var broker = new ServerSocket();
        var owner = new ServerSocket();
        var controller = new ServerSocket()) {
      bind(broker, host, port);
      bindNextTo(owner, port);
      bindAnywhere(controller, InetAddress.getLoopbackAddress());
      return new Ports(broker.getLocalPort(), owner.getLocalPort(), controller.getLocalPort());
    } catch (IOException e) {
      throw new BrokerStartFailed(
          "no free port on " + BrokerConfig.LOOPBACK + ": " + e.getMessage(), e);
    }
  }

  /** Binds to a port derived from the configured one, so that clients find it after a restart. */
  private static void bindNextTo(ServerSocket socket, int port) throws IOException {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    socket.setReuseAddress(true);
    if (port > 0 && port + OWNER_DISTANCE <= 65_535) {
      try {
        socket.bind(new InetSocketAddress(loopback, port + OWNER_DISTANCE));
        return;
      } catch (IOException taken) {
        // Any other port will do.
      }
    }
    bindAnywhere(socket, loopback);
  }

  /** Binds to a free port that the kernel gives to no client. */
  private static void bindAnywhere(ServerSocket socket, InetAddress host) throws IOException {
    socket.setReuseAddress(true);
    for (int i = 0; i < TRIES && KERNELS > FIRST; i++) {
      try {
        socket.bind(
            new InetSocketAddress(host, ThreadLocalRandom.current().nextInt(FIRST, KERNELS)));
        return;
      } catch (BindException taken) {
        // The next one.
      }
    }
    socket.bind(new InetSocketAddress(host, 0));
  }

  /** 32768 unless set ({@code ip_local_port_range} in ip(7)); other systems begin above it. */
  private static int kernelsFirst() {
    try (var file = Files.newInputStream(Path.of("/proc/sys/net/ipv4/ip_local_port_range"))) {
      // In one read: the kernel ends such a file after the first one, and Files.readString begins
      // with a single byte.
      var range = new String(file.readNBytes(64), StandardCharsets.US_ASCII);
      return Integer.parseInt(range.strip().split("\\s+", 2)[0]);
    } catch (IOException | NumberFormatException other) {
      return 32_768;
    }
  }

  private static void bind(ServerSocket socket, String host, int port) {
    try {
      InetAddress address = InetAddress.getByName(host);
      if (port == 0) {
        bindAnywhere(socket, address);
      } else {
        socket.setReuseAddress(true);
        socket.bind(new InetSocketAddress(address, port));
      }
    } catch (UnknownHostException e) {
      throw new BrokerStartFailed(
          "broker host " + host + " is unknown; set broker.listen to an address of this machine",
          e);
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
