package dev.flyball.ops.telemetry;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Requests as they are on the wire, with headers that Java's client does not send. */
final class RawHttp {
  private RawHttp() {}

  /** Connects and sends this text; nothing is read. */
  static Socket open(int port, String text) throws IOException {
    var socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(10_000);
    socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
    socket.getOutputStream().flush();
    return socket;
  }

  /** The whole answer to this text. */
  static String answer(int port, String text) {
    try (Socket socket = open(port, text)) {
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new AssertionError(text, e);
    }
  }

  /** The answer to a request with these headers, each ended by CRLF. */
  static String answer(int port, String line, String headers) {
    return answer(port, line + " HTTP/1.1\r\nConnection: close\r\n" + headers + "\r\n");
  }
}
