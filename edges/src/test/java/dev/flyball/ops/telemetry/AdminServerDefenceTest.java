package dev.flyball.ops.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests that mean harm get the right status, and others are not affected. */
final class AdminServerDefenceTest {
  private static final String LOCAL = "Host: localhost\r\n";
  private static final int STREAMS = 1_000;

  private final CountDownLatch ended = new CountDownLatch(1);
  private final AdminServer server =
      AdminServer.start("admin.listen", ListenAddress.LOOPBACK, new Telemetry(), Health::healthy);

  @BeforeEach
  void routes() {
    server.post(
        "/change",
        exchange -> AdminServer.answer(exchange, 200, "text/plain", RequestBody.read(exchange)));
    server.route(
        "/stream",
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          exchange.getResponseBody().write('.');
          exchange.getResponseBody().flush();
          try {
            var _ = ended.await(60, TimeUnit.SECONDS);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  @AfterEach
  void stop() {
    ended.countDown();
    server.close();
  }

  @Test
  void aForgedHostIsRejectedOnEveryRoute() {
    for (String path : new String[] {"/livez", "/metrics", "/health", "/none"}) {
      assertThat(ask("GET " + path, "Host: evil.example\r\n")).startsWith("HTTP/1.1 403 ");
    }
    assertThat(ask("GET /livez", "")).startsWith("HTTP/1.1 400 ");
    assertThat(ask("GET /livez", LOCAL)).startsWith("HTTP/1.1 200 ");
  }

  @Test
  void aFormOfAForeignPageChangesNothing() {
    String form = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 0\r\n";

    assertThat(ask("POST /change", LOCAL + form)).startsWith("HTTP/1.1 403 ");
    assertThat(ask("POST /change", LOCAL + form + "Origin: http://evil.example\r\n"))
        .startsWith("HTTP/1.1 403 ");
    assertThat(ask("POST /change", LOCAL + form + "Origin: http://localhost\r\n"))
        .startsWith("HTTP/1.1 200 ");
    assertThat(ask("POST /change", LOCAL + "Content-Length: 0\r\nX-Flyball-Request: 1\r\n"))
        .startsWith("HTTP/1.1 200 ");
  }

  @Test
  void aMethodThatARouteLacksIs405WithTheMethodsItHas() {
    assertThat(ask("DELETE /change", LOCAL + "X-Flyball-Request: 1\r\n"))
        .startsWith("HTTP/1.1 405 ")
        .contains("Allow: POST\r\n");
    assertThat(ask("POST /livez", LOCAL + "X-Flyball-Request: 1\r\n"))
        .startsWith("HTTP/1.1 405 ")
        .contains("Allow: GET, HEAD\r\n");
    assertThat(ask("HEAD /livez", LOCAL)).startsWith("HTTP/1.1 200 ").endsWith("\r\n\r\n");
  }

  @Test
  void aPathIs503UntilItsRouteIsThereAndTheServerIsNotStarting() {
    server.starting(true);
    assertThat(ask("GET /items", LOCAL)).startsWith("HTTP/1.1 503 ").contains("Retry-after: 2\r\n");
    assertThat(ask("GET /livez", LOCAL)).startsWith("HTTP/1.1 200 ");
    assertThat(ask("GET /items", "Host: evil.example\r\n")).startsWith("HTTP/1.1 403 ");

    server.starting(false);
    assertThat(ask("GET /items", LOCAL)).startsWith("HTTP/1.1 404 ");
  }

  @Test
  void aBodyAboveTheLimitIs413() {
    String marked = LOCAL + "X-Flyball-Request: 1\r\n";
    String long1 = "a".repeat(RequestBody.MOST + 1);
    String chunk = Integer.toHexString(long1.length()) + "\r\n" + long1 + "\r\n0\r\n\r\n";

    assertThat(ask("POST /change", marked + "Content-Length: 99999999999\r\n"))
        .startsWith("HTTP/1.1 413 ");
    assertThat(
            RawHttp.answer(
                server.port(),
                "POST /change HTTP/1.1\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n"
                    + marked
                    + "\r\n"
                    + chunk))
        .startsWith("HTTP/1.1 413 ");
  }

  @Test
  void problemsHaveOneFormAndTextForABrowser() {
    assertThat(ask("GET /none", LOCAL))
        .contains("Content-type: application/problem+json")
        .containsPattern(
            "\\{\"type\":\"about:blank\",\"title\":\"Not Found\",\"status\":404,\"detail\":\"[a-z"
                + " ]+\"}\n");
    assertThat(ask("GET /none", LOCAL + "Accept: text/html\r\n"))
        .contains("Content-type: text/plain")
        .containsPattern("\r\n\r\n[a-z ]+\n$");
  }

  @Test
  void everyAnswerHasTheSecurityHeaders() {
    for (String path : new String[] {"/livez", "/none"}) {
      assertThat(ask("GET " + path, LOCAL))
          .contains("X-content-type-options: nosniff")
          .contains("Content-security-policy: default-src 'none'")
          .contains("X-frame-options: DENY")
          .contains("Cache-control: no-store");
    }
  }

  @Test
  void aSlowClientIsCutOffAndOthersAreServed() throws IOException {
    try (Socket head = RawHttp.open(server.port(), "GET /livez HTTP/1.1\r\nHost: loc");
        Socket body =
            RawHttp.open(
                server.port(),
                "POST /change HTTP/1.1\r\nX-Flyball-Request: 1\r\nContent-Length: 9\r\n"
                    + LOCAL
                    + "\r\nabc")) {
      assertThat(ask("GET /livez", LOCAL)).startsWith("HTTP/1.1 200 ");
      // With a limit of one second; without one the reads end by their own timeout.
      assertThat(remaining(head)).isNotNegative();
      assertThat(remaining(body)).isNotNegative();
      assertThat(ask("GET /livez", LOCAL)).startsWith("HTTP/1.1 200 ");
    }
  }

  /** Bytes until the connection was ended by the server; -1 if it was not. */
  private static int remaining(Socket socket) {
    try {
      return socket.getInputStream().readAllBytes().length;
    } catch (java.net.SocketTimeoutException e) {
      return -1;
    } catch (IOException e) {
      return 0;
    }
  }

  @Test
  void aThousandOpenStreamsDelayNoOtherRequest() throws IOException {
    var streams = new ArrayList<Socket>();
    try {
      for (int i = 0; i < STREAMS; i++) {
        streams.add(RawHttp.open(server.port(), "GET /stream HTTP/1.1\r\n" + LOCAL + "\r\n"));
      }
      for (Socket stream : streams) {
        byte[] first = stream.getInputStream().readNBytes(12);
        assertThat(new String(first, StandardCharsets.UTF_8)).isEqualTo("HTTP/1.1 200");
      }
      assertThat(ask("GET /livez", LOCAL)).startsWith("HTTP/1.1 200 ");
    } finally {
      for (Socket stream : streams) {
        stream.close();
      }
    }
  }

  private String ask(String line, String headers) {
    return RawHttp.answer(server.port(), line, headers);
  }
}
