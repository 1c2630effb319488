package dev.flyball.producer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.flyball.ops.telemetry.ListenAddress;
import dev.flyball.testkit.KafkaFixture;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Pushes to a producer that would poll only each hour, against a real broker. */
@Tag("long")
class PushIT extends PollFixture {
  private static final String SECRET = "a secret of this test";
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  @AutoClose private PushEndpoint endpoint;

  @BeforeEach
  void start() {
    tracker.put("0", "before", Instant.now());
    ProducerApp app = start(config("a", tracked(Duration.ofHours(1), "web")), true);
    endpoint = new PushEndpoint("push.listen", ListenAddress.LOOPBACK, () -> SECRET, app::hint);
    KafkaFixture.await().until(() -> snapshots().size() == 1);
  }

  @Test
  void aChangeIsPublishedTwoSecondsAfterItsPush() {
    var delays = new ArrayList<Long>();
    for (int change = 1; change <= 20; change++) {
      String id = "changed-" + change;
      long began = System.nanoTime();
      tracker.put(id, "changed", Instant.now());
      assertThat(push(SECRET).join().statusCode()).isEqualTo(202);
      await()
          .atMost(Duration.ofSeconds(20))
          .pollInterval(Duration.ofMillis(20))
          .until(() -> !snapshots(id).isEmpty());
      delays.add((System.nanoTime() - began) / 1_000_000);
    }
    delays.sort(null);
    System.out.printf(
        "from a change to its publication by a push: p50 %d ms, p95 %d ms, most %d ms%n",
        delays.get(9), delays.get(18), delays.getLast());
    assertThat(delays.get(18)).as("p95 in ms").isLessThan(2_000);
  }

  @Test
  void aFloodCostsOnePollASecond() {
    int before = tracker.polled.get();
    long began = System.nanoTime();
    var statuses = new AtomicInteger[] {new AtomicInteger(), new AtomicInteger()};
    var all = new ArrayList<CompletableFuture<?>>();
    for (int push = 0; push < 4_000; push++) {
      boolean forged = push % 2 == 0;
      all.add(
          push(forged ? "guessed" : SECRET)
              .thenAccept(
                  answer -> statuses[answer.statusCode() == 202 ? 0 : 1].incrementAndGet()));
      if (push % 100 == 99) {
        all.forEach(CompletableFuture::join);
        all.clear();
      }
    }
    double seconds = (System.nanoTime() - began) / 1e9;
    int polls = tracker.polled.get() - before;
    System.out.printf(
        "4000 pushes in %.1f s (%.0f a second), half of them forged: %d taken, %d refused, %d"
            + " polls%n",
        seconds, 4_000 / seconds, statuses[0].get(), statuses[1].get(), polls);
    assertThat(statuses[0].get()).isBetween(1, 2_000);
    assertThat(polls).isBetween(1, (int) seconds + 2);
  }

  private CompletableFuture<HttpResponse<Void>> push(String secret) {
    var request =
        HttpRequest.newBuilder(URI.create(endpoint.url() + key))
            .header("Content-Type", "application/json")
            .header("X-Gitlab-Token", secret)
            .POST(BodyPublishers.ofString("{}"))
            .build();
    return CLIENT.sendAsync(request, BodyHandlers.discarding());
  }
}
