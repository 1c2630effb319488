package dev.flyball.ops.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.ledger.LedgerEntry;
import dev.flyball.ops.telemetry.Telemetry;
import dev.flyball.testkit.KafkaFixture;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** How long an event takes until a reader of the projection sees it, under a steady load. */
@Tag("long")
class EventLagIT {
  @RegisterExtension static final KafkaFixture KAFKA = new KafkaFixture();
  private static final int A_SECOND = 50;
  private static final int EVENTS = 8 * A_SECOND;

  @TempDir Path folder;

  @Test
  void anEventIsSeenWithinASecond(TestReporter reporter) throws Exception {
    KAFKA.provision();
    KAFKA.produce(KAFKA.topics().sessionLedger(), "-", new LedgerEntry.Init(3, 45_000, List.of()));
    List<Long> lags = new ArrayList<>();
    try (var app =
            new ConsoleApp(ConsoleConfig.defaults(folder), KAFKA.settings(), new Telemetry());
        var load = Executors.newSingleThreadScheduledExecutor()) {
      app.start();
      assertThat(app.catchUp(Duration.ofSeconds(30))).isTrue();
      var sent = new AtomicInteger();
      // Ends with the executor.
      var _ =
          load.scheduleAtFixedRate(
              () -> {
                if (sent.get() < EVENTS) {
                  KAFKA.produce(event(sent.getAndIncrement()));
                }
              },
              0,
              1_000_000 / A_SECOND,
              TimeUnit.MICROSECONDS);
      try (var view = ConsoleView.open(folder).orElseThrow()) {
        KafkaFixture.await()
            .pollInterval(Duration.ofMillis(10))
            .until(() -> {
              var ended = view.ended(EVENTS, null);
              Instant now = Instant.now();
              ended.stream()
                  .limit(ended.size() - lags.size())
                  .forEach(it -> lags.add(Duration.between(it.endedAt(), now).toMillis()));
              return lags.size() >= EVENTS;
            });
      }
    }
    List<Long> sorted = lags.stream().sorted().toList();
    long p95 = sorted.get(sorted.size() * 95 / 100);
    reporter.publishEntry(
        "event to row, ms",
        "median " + sorted.get(sorted.size() / 2) + ", p95 " + p95 + ", max " + sorted.getLast());

    assertThat(p95).isLessThan(1_000);
  }

  private static LifecycleEvent event(int n) {
    return new LifecycleEvent(
        "e" + n,
        EventType.SESSION_COMPLETED,
        "/runner/r1",
        "a/b/" + n,
        Instant.now(),
        EventData.EMPTY.with(Field.SESSION, "s" + n));
  }
}
