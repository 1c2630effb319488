package dev.flyball.testkit;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A tracker on loopback that misbehaves as a test scripts it. It implements HTTP itself, because a
 * server library would not cut a body or reset a connection. It keeps every request, because a
 * request that must not be sent shows only there.
 */
public final class FaultServer implements AutoCloseable {
  private final ServerSocket socket;

  /** Null without TLS. */
  private final @Nullable SSLContext tls;

  private final CountDownLatch closed = new CountDownLatch(1);
  private final Set<Socket> connections = ConcurrentHashMap.newKeySet();

  /** This field and those below are guarded by this. */
  private final Deque<FaultReply> next = new ArrayDeque<>();

  private final List<FaultRequest> requests = new ArrayList<>();
  private Function<FaultRequest, FaultReply> otherwise =
      request -> FaultReply.json(404, "{\"message\":\"nothing here\"}");
  private int open;
  private int mostAtOnce;

  private FaultServer(@Nullable SSLContext tls, int port) {
    this.tls = tls;
    try {
      this.socket = new ServerSocket(port, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    // Not a virtual thread: it wakes late after a close, and until then connections are taken.
    Thread.ofPlatform().daemon().name("fault-server").start(this::accept);
  }

  /** Listens on a free port. */
  public static FaultServer http() {
    return http(0);
  }

  /** Listens on a port, which refuses connections while no such server is open. */
  public static FaultServer http(int port) {
    return new FaultServer(null, port);
  }

  /** Listens on a free port, with TLS. */
  public static FaultServer https(SSLContext tls) {
    return new FaultServer(tls, 0);
  }

  /** Its root, without a slash at the end. */
  public URI url() {
    return URI.create((tls == null ? "http" : "https") + "://127.0.0.1:" + socket.getLocalPort());
  }

  /** Sets the answer to requests for which nothing was scripted. */
  public synchronized FaultServer otherwise(Function<FaultRequest, FaultReply> answer) {
    otherwise = answer;
    return this;
  }

  /** Scripts the answers to the next requests, one each. */
  public synchronized FaultServer then(FaultReply... replies) {
    next.addAll(List.of(replies));
    return this;
  }

  /** The requests received until now, in order. */
  public synchronized List<FaultRequest> requests() {
    return List.copyOf(requests);
  }

  /** The most requests that were open at one time. */
  public synchronized int mostAtOnce() {
    return mostAtOnce;
  }

  /**
   * Forgets the received requests and the scripted answers; the answer to unscripted requests
   * stays.
   */
  public synchronized void forget() {
    requests.clear();
    next.clear();
    mostAtOnce = open;
  }

  @Override
  public void close() {
    closed.countDown();
    quietly(socket);
    connections.forEach(FaultServer::quietly);
  }

  private void accept() {
    while (!socket.isClosed()) {
      try {
        Socket connection = socket.accept();
        connections.add(connection);
        if (socket.isClosed()) {
          quietly(connection);
          return;
        }
        Thread.ofVirtual().name("fault-connection").start(() -> serve(connection));
      } catch (IOException e) {
        return; // closed
      }
    }
  }

  private void serve(Socket plain) {
    try (Socket connection = secured(plain)) {
      var in = new BufferedInputStream(connection.getInputStream());
      // Head and body are sent without delay: 40 ms would pass between two small writes.
      connection.setTcpNoDelay(true);
      OutputStream out = new BufferedOutputStream(connection.getOutputStream(), 65_536);
      boolean again = true;
      while (again) {
        again = answer(connection, in, out);
      }
    } catch (IOException e) {
      // The other side closed, or a handshake failed; the requests received before are kept all the
      // same.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      connections.remove(plain);
      quietly(plain);
    }
  }

  /** The handshake takes place at the first byte that is read. */
  private Socket secured(Socket plain) throws IOException {
    SSLContext now = tls;
    return now == null ? plain : now.getSocketFactory().createSocket(plain, null, true);
  }

  /** Serves one request; true if the connection can carry another one. */
  private boolean answer(Socket connection, InputStream in, OutputStream out)
      throws IOException, InterruptedException {
    String line = line(in);
    if (line == null) {
      return false;
    }
    String[] words = line.split(" ", 3);
    if (words.length < 3) {
      return false; // Not HTTP: a TLS greeting, for example.
    }
    var headers = new TreeMap<String, String>();
    for (String header = line(in); header != null && !header.isEmpty(); header = line(in)) {
      int at = header.indexOf(':');
      headers.put(
          header.substring(0, at).toLowerCase(Locale.ROOT), header.substring(at + 1).strip());
    }
    int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
    byte[] body = in.readNBytes(length);
    if (body.length < length) {
      throw new EOFException("the request breaks off");
    }
    var request =
        new FaultRequest(
            words[0],
            words[1],
            headers,
            new String(body, StandardCharsets.UTF_8),
            System.nanoTime(),
            0);
    int at = began(request);
    try {
      return new ReplyBytes(connection, out, closed).send(reply(request));
    } finally {
      ended(at, request);
    }
  }

  private synchronized int began(FaultRequest request) {
    requests.add(request);
    open++;
    mostAtOnce = Math.max(mostAtOnce, open);
    return requests.size() - 1;
  }

  private synchronized void ended(int at, FaultRequest request) {
    open--;
    if (at < requests.size() && requests.get(at).beginNanos() == request.beginNanos()) {
      requests.set(at, request.endedAt(System.nanoTime()));
    }
  }

  private FaultReply reply(FaultRequest request) {
    Function<FaultRequest, FaultReply> answer;
    synchronized (this) {
      FaultReply scripted = next.poll();
      if (scripted != null) {
        return scripted;
      }
      answer = otherwise;
    }
    return answer.apply(request);
  }

  private static @Nullable String line(InputStream in) throws IOException {
    var line = new ByteArrayOutputStream();
    for (int c = in.read(); c >= 0; c = in.read()) {
      if (c == '\n') {
        return line.toString(StandardCharsets.ISO_8859_1).stripTrailing();
      }
      line.write(c);
    }
    return null;
  }

  private static void quietly(AutoCloseable open) {
    try {
      open.close();
    } catch (Exception e) {
      // It is being closed.
    }
  }
}
