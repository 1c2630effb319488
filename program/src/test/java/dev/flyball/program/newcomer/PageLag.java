package dev.flyball.program.newcomer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.testkit.KafkaFixture;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * How long events take until a browser shows them, in milliseconds and sorted. Each of them ends a
 * session, and <em>Now</em> counts the sessions that ended in the last hour.
 */
record PageLag(List<Long> millis) {
  private static final int A_SECOND = 50;
  static final int EVENTS = 8 * A_SECOND;

  /** Sends the events at a steady rate while the browser shows <em>Now</em>. */
  static PageLag measure(KafkaFixture kafka, Browser browser) {
    browser.script(
        """
        window.seen = [];
        var look = function () {
          document.querySelectorAll("#live .tile").forEach(function (tile) {
            if (tile.firstElementChild.textContent !== "Last hour") return;
            var ended = Number(tile.querySelector("b").textContent.replace(/[^0-9]/g, ""));
            window.seen.push([Date.now(), ended]);
          });
        };
        new MutationObserver(look).observe(document.getElementById("live"), {childList: true});
        look();
        """);
    long before = seen(browser).getFirst().getLast();
    List<Long> sent = new CopyOnWriteArrayList<>();
    try (var load = Executors.newSingleThreadScheduledExecutor()) {
      // Ends with the executor.
      var _ =
          load.scheduleAtFixedRate(
              () -> {
                if (sent.size() < EVENTS) {
                  Instant now = Instant.now();
                  kafka.produce(ended(sent.size(), now));
                  sent.add(now.toEpochMilli());
                }
              },
              0,
              1_000_000 / A_SECOND,
              TimeUnit.MICROSECONDS);
      Browser.await(() -> assertThat(seen(browser).getLast().getLast()).isEqualTo(before + EVENTS));
    }
    List<List<Long>> seen = seen(browser);
    return new PageLag(
        IntStream.range(0, EVENTS)
            .mapToObj(n -> shown(seen, before + n + 1) - sent.get(n))
            .sorted()
            .toList());
  }

  long at(int percent) {
    return millis.get((millis.size() - 1) * percent / 100);
  }

  @Override
  public String toString() {
    return "event to page, ms: median " + at(50) + ", p95 " + at(95) + ", max " + at(100);
  }

  /** What the page showed: times, and the count of ended sessions at each. */
  @SuppressWarnings("unchecked")
  private static List<List<Long>> seen(Browser browser) {
    return (List<List<Long>>) Objects.requireNonNull(browser.script("return window.seen"));
  }

  /** When the page showed this many ended sessions first. */
  private static long shown(List<List<Long>> seen, long count) {
    return seen.stream().filter(it -> it.getLast() >= count).findFirst().orElseThrow().getFirst();
  }

  private static LifecycleEvent ended(int n, Instant now) {
    return new LifecycleEvent(
        "e" + n,
        EventType.SESSION_COMPLETED,
        "/runner/r1",
        "acme/load/" + n,
        now,
        EventData.EMPTY.with(Field.SESSION, "t" + n));
  }
}
