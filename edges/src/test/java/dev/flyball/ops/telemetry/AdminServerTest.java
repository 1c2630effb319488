package dev.flyball.ops.telemetry;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

final class AdminServerTest {
  private final Telemetry telemetry = new Telemetry();
  private final AtomicReference<Health> health = new AtomicReference<>(Health.healthy());

  @AutoClose
  private final AdminServer server =
      AdminServer.start("admin.listen", ListenAddress.LOOPBACK, telemetry, health::get);

  @AutoClose private final HttpClient client = HttpClient.newHttpClient();

  @Test
  void aClientThatDoesNotReadLosesItsAnswer() throws Exception {
    String large = "a".repeat(32 * 1024 * 1024);
    var ended = new CompletableFuture<Exception>();
    server.route(
        "/large",
        exchange -> {
          try {
            AdminServer.answer(exchange, 200, AdminServer.TEXT, large, Duration.ofMillis(300));
            ended.completeExceptionally(new AssertionError("all was written"));
          } catch (IOException e) {
            ended.complete(e);
            throw e;
          }
        });
    try (var silent = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      silent
          .getOutputStream()
          .write("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(US_ASCII));

      assertThat(ended.get(10, TimeUnit.SECONDS)).isInstanceOf(IOException.class);
    }
    assertThat(get("/livez").statusCode()).isEqualTo(200);
  }

  @Test
  void whatHaltedForGoodIsNotLiveSoThatItIsStartedAgain() {
    assertProbes(Health.healthy(), 200, 200);
    assertProbes(Health.starting("ledger not read yet"), 200, 503);
    assertThat(get("/readyz").body()).isEqualTo("ledger not read yet\n");
    assertProbes(Health.healthy().and(Health.halted("the ledger was made again")), 503, 503);
    assertThat(get("/livez").body()).isEqualTo("the ledger was made again\n");
    assertThat(Health.unhealthy("load", "load").live()).as("unhealthy alone is no reason").isTrue();
  }

  private void assertProbes(Health now, int live, int ready) {
    health.set(now);
    assertThat(get("/livez").statusCode()).isEqualTo(live);
    assertThat(get("/readyz").statusCode()).isEqualTo(ready);
  }

  // S0-15, S0-30
  @Test
  void healthHasTheFixedFieldsAndTheLedgersNumbers() {
    telemetry.gauge(Metric.SESSIONS_LIVE, () -> 2);
    telemetry.gauge(Metric.SESSIONS_CAP, () -> 3);

    HttpResponse<String> answer = get("/health");

    assertThat(answer.headers().firstValue("Content-Type")).hasValue("application/json");
    assertThat(answer.body())
        .matches(
            "\\{\"status\":\"[a-z]+\",\"reasons\":\\[.*],\"activeSessions\":2,\"cap\":3,"
                + "\"loadAverage\":\\[.*],\"cpuCount\":[0-9]+,\"notes\":\\[.*]}\n");
  }

  // S0-15, S0-30
  @Test
  void degradedIs200AndABrokenInvariantIs503() {
    var calm = new MachineLoad(List.of(0.5, 0.5, 0.5), 2);

    assertThat(
            HealthReport.of(Health.degraded("source", "one source fails"), 0, 3, calm, 1)
                .httpStatus())
        .isEqualTo(200);
    assertThat(
            HealthReport.of(Health.unhealthy("invariant", "INV-1 broken"), 0, 3, calm, 1)
                .httpStatus())
        .isEqualTo(503);
  }

  // S0-30
  @Test
  void aLoadAboveTwiceTheProcessorsIsUnhealthyWhereAgentsRun() {
    var high = new MachineLoad(List.of(4.1), 2);
    HealthReport at = HealthReport.of(Health.healthy(), 0, 3, new MachineLoad(List.of(4.0), 2), 1);
    HealthReport above = HealthReport.of(Health.healthy(), 0, 3, high, 1);
    HealthReport others = HealthReport.of(Health.healthy(), 1, 3, high, 0);

    assertThat(at.status()).isEqualTo("healthy");
    assertThat(above.status()).isEqualTo("unhealthy");
    assertThat(above.reasons())
        .singleElement()
        .asString()
        .contains("load 4.1 is above 2.0 x 2 CPUs: sessions that run go on, new ones ");
    assertThat(others.status()).as("another program's load").isEqualTo("healthy");
    assertThat(others.reasons()).isEmpty();
    assertThat(others.notes()).singleElement().asString().contains("load 4.1");
  }

  @Test
  void takesFurtherRoutesWhileItServes() {
    server.route("/items", exchange -> AdminServer.answer(exchange, 200, "text/plain", "here"));

    assertThat(get("/items").body()).isEqualTo("here");
    assertThat(get("/items/below").statusCode()).isEqualTo(404);
    assertThat(get("/nothing").statusCode()).isEqualTo(404);
  }

  @Test
  void aRouteThatThrowsAnswers500AndTheServerGoesOn() {
    server.route(
        "/broken",
        exchange -> {
          throw new IllegalStateException("as planned");
        });

    assertThat(get("/broken").statusCode()).isEqualTo(500);
    assertThat(get("/livez").statusCode()).isEqualTo(200);
  }

  @Test
  void aTakenPortIsOneClearLineWithTheFix() {
    var taken = new ListenAddress("127.0.0.1", server.port());

    assertThatThrownBy(() -> AdminServer.start("console.listen", taken, telemetry, Health::healthy))
        .isInstanceOf(StartFailure.class)
        .hasMessageStartingWith(
            "console.listen 127.0.0.1:" + server.port() + " cannot be listened on")
        .hasMessageContaining("set console.listen to another")
        .hasMessageNotContaining("\n");
  }

  private HttpResponse<String> get(String path) {
    try {
      return client.send(
          HttpRequest.newBuilder(URI.create(server.url() + path)).build(),
          HttpResponse.BodyHandlers.ofString());
    } catch (IOException | InterruptedException e) {
      throw new AssertionError(path, e);
    }
  }
}
