package dev.flyball.tracker.http;

import static dev.flyball.tracker.TestSources.failureOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flyball.testkit.FaultReply;
import dev.flyball.testkit.FaultServer;
import dev.flyball.tracker.RequestPermission;
import dev.flyball.tracker.TrackerFailure;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class TrackerLimitsTest {
  @AutoClose private final FaultServer tracker = FaultServer.http();
  private final TrackerLimits limits = new TrackerLimits();

  @Test
  void manySourcesOfOneCredentialHaveFewRequestsOpenAtATime() throws InterruptedException {
    int sources = 12;
    var full = new CountDownLatch(TrackerLimits.MOST_OPEN);
    tracker.otherwise(request -> {
      full.countDown();
      awaited(full);
      return FaultReply.json("{}");
    });
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < sources; i++) {
        threads.execute(() -> ask(source("secret")));
      }
      threads.shutdown();
      assertThat(threads.awaitTermination(20, TimeUnit.SECONDS)).isTrue();
    }

    assertThat(tracker.requests()).hasSize(sources);
    assertThat(tracker.mostAtOnce()).isEqualTo(TrackerLimits.MOST_OPEN);
  }

  @Test
  void aPauseThatOneSourceIsAskedForHoldsTheOthersOfItsCredential() {
    TrackerHttp first = source("secret");
    tracker.then(FaultReply.json(200, Map.of("Retry-After", "90"), "{}"));
    ask(first);

    TrackerFailure failure = failureOf(() -> ask(source("secret")));
    assertThat(failure.category()).isEqualTo(TrackerFailure.Category.RATE_LIMITED);
    assertThat(failure.retryAfter()).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(90));
    assertThat(tracker.requests()).hasSize(1);

    tracker.then(FaultReply.json("{}"), FaultReply.json("{}"));
    ask(source("another"));
    ask(first);
    assertThat(tracker.requests()).as("another account, and the source itself").hasSize(3);
  }

  @Test
  @Timeout(20)
  void aStopDoesNotWaitForTheEndOfAPause() {
    TrackerHttp source = source("secret");
    tracker.then(FaultReply.json(200, Map.of("Retry-After", "29"), "{}"));
    ask(source);
    RequestPermission stopped =
        () -> {
          throw new RequestPermission.PermissionLost("stopping");
        };

    assertThatThrownBy(() -> source.getBesidePoll("/items", stopped))
        .isInstanceOf(RequestPermission.PermissionLost.class);
  }

  private TrackerHttp source(String credential) {
    return new TrackerHttp(
        tracker.url(),
        () -> Map.of("Authorization", "Bearer " + credential),
        InstantSource.system(),
        limits);
  }

  private static TrackerResponse ask(TrackerHttp source) {
    return source.get("/items", RequestPermission.GRANTED);
  }

  private static void awaited(CountDownLatch latch) {
    try {
      assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
