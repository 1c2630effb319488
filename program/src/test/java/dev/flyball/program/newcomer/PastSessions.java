package dev.flyball.program.newcomer;

import dev.flyball.contract.event.EventData;
import dev.flyball.contract.event.EventType;
import dev.flyball.contract.event.Field;
import dev.flyball.contract.event.LifecycleEvent;
import dev.flyball.contract.session.Receipt;
import dev.flyball.testkit.KafkaFixture;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;

/** Sessions of the last five hours, so that the history has something to draw. */
final class PastSessions {
  static final int COUNT = 120;

  private static final Duration SPAN = Duration.ofHours(5);

  private PastSessions() {}

  /**
   * Writes when each was claimed and how it ended; nothing of it was started or is in the ledger.
   */
  static void write(KafkaFixture kafka) {
    var random = new Random(4);
    Instant begin = Instant.now().minus(SPAN).minus(Duration.ofMinutes(30));
    for (int n = 0; n < COUNT; n++) {
      Instant claimed = begin.plus(SPAN.multipliedBy(n).dividedBy(COUNT));
      long running = 60_000L + random.nextInt(240_000);
      boolean failed = random.nextInt(9) == 0;
      EventData data =
          EventData.EMPTY
              .with(Field.SESSION, "past-" + n)
              .with(Field.TOKEN, "Bo8cXnR6TfSgkQ0vNpHb4w:" + n)
              .with(Field.REQUEST, "past-" + n);
      kafka.produce(event(n, EventType.SESSION_CLAIMED, claimed, data));
      kafka.produce(
          event(
              n,
              failed ? EventType.SESSION_FAILED : EventType.SESSION_COMPLETED,
              claimed.plusMillis(running),
              data.with(Field.OUTCOME, failed ? "failed" : "completed")
                  .with(Field.EXIT_CODE, failed ? 1 : 0)
                  .with(Field.WAITING_MS, 900)
                  .with(Field.RUNNING_MS, running)
                  .with(Field.TOKENS, 20_000 + random.nextInt(60_000))
                  .with(Field.COST_MICROS, 50_000 + random.nextInt(350_000))
                  .with(Field.RECEIPT, new Receipt("A+", 6, 200L << 20, List.of(), 0))));
    }
  }

  private static LifecycleEvent event(int n, EventType type, Instant time, EventData data) {
    String source = type == EventType.SESSION_CLAIMED ? "/runner/r1" : "/triage";
    return new LifecycleEvent(type + "-" + n, type, source, "acme/web/" + (200 + n), time, data);
  }
}
