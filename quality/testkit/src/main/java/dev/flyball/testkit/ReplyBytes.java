package dev.flyball.testkit;

import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * What a {@link FaultServer} sends on one connection, byte by byte as scripted.
 *
 * @param closed opens when the server closes, which ends replies without an end
 */
record ReplyBytes(Socket connection, OutputStream out, CountDownLatch closed) {
  private static final byte[] FLOOD = "1234567,".repeat(8_192).getBytes(StandardCharsets.US_ASCII);

  /**
   * Sends it; true if the connection can carry another one.
   *
   * @throws IOException if the other side has closed
   */
  boolean send(FaultReply reply) throws IOException, InterruptedException {
    switch (reply) {
      case FaultReply.Whole(int status, Map<String, String> headers, byte[] body) -> {
        head(status, headers, body.length);
        out.write(body);
        out.flush();
        return true;
      }
      case FaultReply.Cut(String body, int missing) -> {
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        head(200, Map.of("Content-Type", "application/json"), bytes.length + missing);
        out.write(bytes);
        out.flush();
      }
      case FaultReply.Stalled(Map<String, String> headers, String body) -> {
        head(200, headers, -1);
        out.write(body.getBytes(StandardCharsets.UTF_8));
        out.flush();
        closed.await();
      }
      case FaultReply.Silent _ -> closed.await();
      case FaultReply.Dripping _ -> {
        head(200, Map.of("Content-Type", "application/json"), 1L << 20);
        do {
          out.write(' ');
          out.flush();
        } while (!closed.await(100, TimeUnit.MILLISECONDS));
      }
      case FaultReply.Flood(long bytes, boolean announced) -> flood(bytes, announced);
      case FaultReply.Reset _ -> connection.setSoLinger(true, 0);
      case FaultReply.Raw(String bytes) -> {
        out.write(bytes.getBytes(StandardCharsets.ISO_8859_1));
        out.flush();
      }
    }
    return false;
  }

  private void flood(long bytes, boolean announced) throws IOException {
    head(200, Map.of("Content-Type", "application/json"), announced ? bytes : -1);
    out.write('[');
    long left = bytes - 3;
    while (left > 0) {
      int part = (int) Math.min(left, FLOOD.length);
      out.write(FLOOD, 0, part);
      left -= part;
    }
    out.write('0');
    out.write(']');
    out.flush();
  }

  /** Writes a head; with a length below 0 it gives no length of the body. */
  private void head(int status, Map<String, String> headers, long length) throws IOException {
    var head = new StringBuilder("HTTP/1.1 " + status + " Scripted\r\n");
    headers.forEach((name, value) -> head.append(name + ": " + value + "\r\n"));
    if (status != 204 && status != 304 && length >= 0) {
      head.append("Content-Length: " + length + "\r\n");
    }
    out.write(head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
  }
}
