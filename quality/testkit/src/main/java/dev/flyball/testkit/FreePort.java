package dev.flyball.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A TCP port for a server that is ended and started again. It lies below Linux's range for outgoing
 * connections (32768 to 60999 unless set, {@code ip_local_port_range}): from there the kernel would
 * give it, while the server is down, to any client as its own port, even to one that tries to reach
 * the server. The server could not listen again then.
 */
public final class FreePort {
  private static final int FIRST = 15_000;
  private static final int LAST = 32_000;

  private FreePort() {}

  /** One that no server uses on the loopback address now. */
  public static int take() {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, LAST);
      try (var socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return socket.getLocalPort();
      } catch (IOException e) {
        // Taken: another one.
        continue;
      }
    }
  }
}
