package dev.flyball.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A TCP port for a server that is ended and started again. It lies, with the port 1000 above it
 * that an embedded broker takes too, below Linux's range for outgoing connections (32768 to 60999
 * unless set, {@code ip_local_port_range}): from there the kernel would give it, while the server
 * is down, to any client as its own port, even to one that tries to reach the server. The server
 * could not listen again then.
 */
public final class FreePort {
  private static final int FIRST = 15_000;
  private static final int LAST = 31_000;

  private FreePort() {}

  /** One that no server uses on the loopback address now. */
  public static int take() {
    int port;
    do {
      port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
    } while (!free(port));
    return port;
  }

  private static boolean free(int port) {
    try (var socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }
}
